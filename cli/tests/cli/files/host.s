// A host object with a bundle where HIP puts it.
	.section .hip_fatbin,"a",@progbits
	.p2align 4
	.incbin "bundle"
	.section .llvm.offloading,"e",@llvm_offloading
	.p2align 3
	.incbin "offload"
