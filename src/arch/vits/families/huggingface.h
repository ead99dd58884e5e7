// VitsModel of Hugging Face's transformers, as the MMS voices are published: a folder of
// model.safetensors or pytorch_model.bin, config.json and the files of the tokenizer.
#pragma once

#include "arch/vits/family.h"

namespace voxport::vits {

bool is_huggingface(const NamedTensors& tensors);
NamedTensors rename_huggingface(const NamedTensors& tensors);
Translation translate_huggingface(const FamilySource& source);

}  // namespace voxport::vits
