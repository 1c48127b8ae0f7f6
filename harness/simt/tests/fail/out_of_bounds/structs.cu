// launch: advance<<<1, 10>>>(p: f32[64] = 1, 0.5)
// Ten bodies of seven floats are 70 floats.
struct Body { float position[3], velocity[3], mass; };
extern "C" __global__ void advance(Body* p, float dt) {
    Body& b = p[threadIdx.x];
    for (int k = 0; k < 3; k++) b.position[k] += dt * b.velocity[k];
}
