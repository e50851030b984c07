// Rays against nodes of a bounding volume hierarchy: image instructions with many addresses.
typedef uint u32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void rays(global u32x4 *hits, global const uint *nodes, global const f32x4 *rays, u32x4 tree) {
    f32x4 origin = rays[3 * LANE], direction = rays[3 * LANE + 1], inverse = rays[3 * LANE + 2];
    u32x4 hit = __builtin_amdgcn_image_bvh_intersect_ray(nodes[LANE], origin.w, origin, direction, inverse, tree);
    ulong far = (ulong)hit.x << 32 | nodes[64 + LANE];
    hits[LANE] = __builtin_amdgcn_image_bvh_intersect_ray_l(far, origin.w, origin, direction, inverse, tree);
}
