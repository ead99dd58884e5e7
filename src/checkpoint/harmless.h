// The globals that saved models are made of, one by one, each with the way in which picklers use
// it. A name is harmless in that use and in no other: docs/scan.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace voxport {

// What a scan knows about a value on the stack of a pickle, as a set of bits. A parameter is such a
// set too: it takes the values that share a bit with it.
using Types = std::uint64_t;

namespace type {

inline constexpr Types bit(int index) { return Types{1} << index; }

inline constexpr Types kNone = bit(0);
inline constexpr Types kBool = bit(1);
inline constexpr Types kInt = bit(2);
inline constexpr Types kFloat = bit(3);
inline constexpr Types kStr = bit(4);
inline constexpr Types kBytes = bit(5);  // and bytearray
inline constexpr Types kList = bit(6);
inline constexpr Types kTuple = bit(7);
inline constexpr Types kInts = bit(8);  // a tuple of ints, torch.Size
inline constexpr Types kSet = bit(9);
inline constexpr Types kDict = bit(10);  // dict itself, not a subclass
inline constexpr Types kOrderedDict = bit(11);
inline constexpr Types kDictLike = bit(12);  // defaultdict, Counter
inline constexpr Types kAttributeDict = bit(13);
inline constexpr Types kDeque = bit(14);
inline constexpr Types kPlain = bit(15);  // complex, range, datetime: values that cannot be changed
inline constexpr Types kTimedelta = bit(16);
inline constexpr Types kTimezone = bit(17);
inline constexpr Types kDevice = bit(18);
inline constexpr Types kLayout = bit(19);
inline constexpr Types kStorage = bit(20);
inline constexpr Types kTensor = bit(21);
inline constexpr Types kBareDtype = bit(22);    // numpy.dtype(...) before its state
inline constexpr Types kDtype = bit(23);        // numpy's, of anything but Python objects
inline constexpr Types kObjectDtype = bit(24);  // numpy's, of Python objects
inline constexpr Types kBareArray = bit(25);    // numpy's _reconstruct(...) before its state
inline constexpr Types kArray = bit(26);
inline constexpr Types kModule = bit(27);
inline constexpr Types kOptimizer = bit(28);
inline constexpr Types kHolder = bit(29);  // plain attributes: schedulers, hooks
inline constexpr Types kHook = bit(30);    // a hook and the module it belongs to
inline constexpr Types kNamespace = bit(31);
inline constexpr Types kUuid = bit(32);
inline constexpr Types kConfig = bit(33);  // OmegaConf's containers and nodes
inline constexpr Types kConfigMetadata = bit(34);
inline constexpr Types kScript = bit(35);  // of a TorchScript class
// Globals that may be stored as values.
inline constexpr Types kTorchDtype = bit(36);
inline constexpr Types kQscheme = bit(37);
inline constexpr Types kBuiltinType = bit(38);
inline constexpr Types kStorageClass = bit(39);
inline constexpr Types kTensorClass = bit(40);
inline constexpr Types kNamed = bit(41);  // typing.Any, relu, a class as a key of Lightning's
// Globals that may only be called, or be arguments of calls.
inline constexpr Types kFunction = bit(42);
inline constexpr Types kClass = bit(43);
inline constexpr Types kArrayClass = bit(44);
inline constexpr Types kUnknown = bit(45);

// Also of a dict, list or set, or an OrderedDict, that has nothing in it yet.
inline constexpr Types kEmpty = bit(46);

inline constexpr Types kAnyDict = kDict | kOrderedDict | kDictLike;
// What may be an element, a key's value or an attribute.
inline constexpr Types kData = kFunction - 1;
// Data that have methods of their own, which code that expects simpler data would call.
inline constexpr Types kInstance = kAttributeDict | kModule | kOptimizer | kHolder | kHook |
                                   kNamespace | kUuid | kConfig | kConfigMetadata | kScript;
inline constexpr Types kSimple = kData & ~kInstance;

}  // namespace type

// How a harmless global is called by picklers.
enum class Calls : std::uint8_t {
  kNever,
  kReduce,      // REDUCE: the object itself, with these parameters
  kNewObj,      // NEWOBJ without arguments, or copyreg._reconstructor(it, object, None)
  kNewObjWith,  // NEWOBJ with these parameters
  kEither,      // NEWOBJ without arguments or REDUCE with these parameters
};

// Conditions on arguments that parameters alone do not express.
enum class Condition : std::uint8_t {
  kNone,
  kEncode,         // to Latin-1
  kFraction,       // no exponent, which may be huge
  kPairs,          // a list of pairs
  kKeys,           // a list or tuple of what can be hashed
  kTensorData,     // tuples of simple values
  kNumpyDtype,     // a copy of a dtype that has no fields yet
  kNumpyArray,     // nothing but the empty array that a state follows
  kFromType,       // a harmless rebuild function with fitting arguments
  kTensorState,    // plain attributes in the last argument
  kReconstructor,  // a class that is made without arguments; the result is its instance
  kSameValue,      // the result is the first argument
};

struct HarmlessGlobal {
  std::string_view name;  // module and name
  Types type = 0;         // of the global itself
  Types result = 0;       // of a call
  Calls calls = Calls::kNever;
  Condition condition = Condition::kNone;
  std::uint8_t required = 0;  // of the parameters
  std::span<const Types> parameters{};
};

// The entry of a global, under any of the names that versions of Python, numpy and PyTorch have for
// it. Null when it is not listed. The name has no dots: with them a pickle reaches attributes.
const HarmlessGlobal* find_harmless(std::string_view module, std::string_view name);

// Whether an attribute of this name would hide a method of the listed classes.
bool is_method_name(std::string_view name);

}  // namespace voxport
