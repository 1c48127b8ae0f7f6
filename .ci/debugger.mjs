// node debugger.mjs LIBRARY WARPLAB RECORDING: debugs a recording of the lab reduction (variant interleaved) with Microsoft's client of
// the Debug Adapter Protocol, @vscode/debugadapter-testsupport, which lies in the folder LIBRARY. It sets a breakpoint, runs, reads the
// variables of a lane, evaluates an element of an array, watches it, goes a step back, and finds the old value.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";

const [library, warplab, recording] = process.argv.slice(2);
const { DebugClient } = createRequire(`${library}/`)("@vscode/debugadapter-testsupport");
// The library starts a program with one argument.
const script = `${recording}.sh`;
writeFileSync(script, `exec "${warplab}" debug --dap\n`);
const client = new DebugClient("sh", script, "warplab");
await client.start();

const { body: able } = await client.initializeRequest({ adapterID: "warplab", linesStartAt1: true });
assert(able.supportsStepBack);
const initialized = client.waitForEvent("initialized");
await Promise.all([initialized, client.launchRequest({ program: recording })]);
const lines = [{ line: 66, condition: "threadIdx.x == 33" }];
const set = await client.setBreakpointsRequest({ source: { path: "labs/reduction/kernels/reduction.cu" }, breakpoints: lines });
assert(set.body.breakpoints[0].verified, set.body.breakpoints[0].message);

// Sends a request that runs; returns why it stopped.
const stop = async (request) => (await Promise.all([client.waitForEvent("stopped"), request()]))[0].body;
const { reason, threadId } = await stop(() => client.configurationDoneRequest());
assert.equal(reason, "breakpoint");
const [frame] = (await client.stackTraceRequest({ threadId })).body.stackFrames;
assert.equal(frame.line, 66);
const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body;
const values = {};
for (const { variablesReference } of scopes.slice(0, 2)) {
    const { variables } = (await client.variablesRequest({ variablesReference })).body;
    for (const { name, value } of variables) values[name] = value;
}
assert.equal(values.n, "700");
assert(Object.keys(values).some((name) => name.startsWith("%f")));

const element = async () => (await client.evaluateRequest({ expression: "s[32]", frameId: frame.id })).body.result;
const before = await element();
await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: "s[32]", accessType: "write" }] });
assert.equal((await stop(() => client.continueRequest({ threadId }))).reason, "data breakpoint");
const after = await element();
assert.notEqual(after, before);
assert.equal((await stop(() => client.stepBackRequest({ threadId }))).threadId, threadId);
assert.equal(await element(), before, "a step back does not bring the old value back");
await client.disconnectRequest();
console.log(`DebugClient: s[32] of thread 33 is ${before}, then ${after}, and ${before} again a step back`);
