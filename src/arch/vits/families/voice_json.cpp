#include "arch/vits/families/voice_json.h"

#include "base/fail.h"

namespace voxport::vits {

Json voice_json(const InferenceScales& scales) {
  return {{"inference",
           {{"noise_scale", scales.noise_scale},
            {"length_scale", scales.length_scale},
            {"noise_w", scales.noise_w}}}};
}

Json json_of(const Object& value) {
  switch (value.kind) {
    case Object::Kind::kBool: return std::get<bool>(value.data);
    case Object::Kind::kInt: return *value.as_int();
    case Object::Kind::kFloat: return *value.as_float();
    case Object::Kind::kString: return value.text();
    case Object::Kind::kDict: {
      Json json = Json::object();
      for (const Entry& entry : value.entries()) json[entry.key] = json_of(entry.value);
      return json;
    }
    case Object::Kind::kList:
    case Object::Kind::kTuple: {
      Json json = Json::array();
      for (const Entry& entry : value.entries()) json.push_back(json_of(entry.value));
      return json;
    }
    default: return nullptr;
  }
}

double number_in(const Object& config, std::string_view name, double otherwise) {
  const Object* found = config.find(name);
  if (!found || found->is(Object::Kind::kNone)) return otherwise;
  if (const auto number = found->as_float()) return *number;
  fail(Error::kUnsupported, "the config's '", name, "' is ", name_of(found->kind),
       ", expected a number");
}

}  // namespace voxport::vits
