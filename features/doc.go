// Package features turns images into vectors whose distances mean something.
//
// # Basics
//
// [Open] reads a network from a safetensors file and tells by the names of its
// tensors which one it is:
//
//   - MobileNetV2 and SqueezeNet 1.1, trained on ImageNet, in the form that the
//     ONNX model zoo gives them: batch norms folded, tensors conv_0_weight to
//     gemm_104_weight, or squeezenet0_conv0_weight to squeezenet0_conv25_weight;
//     or under torchvision's names, with any number of classes.
//   - ResNet-18, 34, 50 and 101 under torchvision's names, which timm has, too,
//     with any number of classes.
//   - The Inception-v3 of the Fréchet inception distance, under torchvision's
//     names, Conv2d_1a_3x3.conv.weight to fc.weight with its 1008 classes. It is
//     the network that pytorch-fid and torch-fidelity have in
//     pt_inception-2015-12-05-6726825d.pth, which
//     bench/peers/nn/torchvision_to_safetensors.py converts.
//
// [Descriptor] needs no file: gradients, colours and a thumbnail.
//
// # Caveats
//
// Vectors of different networks, or of different files of one network, cannot
// be compared; [Net.Hash] tells files apart. On the go backend a network takes
// from a tenth of a second to seconds for an image.
package features
