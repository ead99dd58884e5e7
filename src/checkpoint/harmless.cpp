#include "checkpoint/harmless.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "base/dtype.h"
#include "base/fail.h"
#include "checkpoint/pickle.h"

namespace voxport {
namespace {

using namespace type;

// Parameters.
constexpr Types kText[] = {kStr};
constexpr Types kTexts[] = {kStr, kStr, kStr, kStr, kStr, kStr, kStr, kStr,
                            kStr, kStr, kStr, kStr, kStr, kStr, kStr, kStr};
constexpr Types kTwoTexts[] = {kStr, kStr};
constexpr Types kIntegers[] = {kInt, kInt, kInt};
constexpr Types kSliceEnds[] = {kInt | kNone, kInt | kNone, kInt | kNone};
constexpr Types kTwoFloats[] = {kFloat | kInt, kFloat | kInt};
constexpr Types kSequence[] = {kList | kTuple};
constexpr Types kBytesOrText[] = {kBytes | kStr, kStr};
constexpr Types kPairsOnly[] = {kList};
constexpr Types kOneDict[] = {kDict};
constexpr Types kFactory[] = {kBuiltinType | kNone};
constexpr Types kDequeOf[] = {kList | kTuple, kInt | kNone};
constexpr Types kDateOf[] = {kBytes | kInt, kInt, kInt};
constexpr Types kDatetimeOf[] = {kBytes | kInt, kInt | kTimezone, kInt, kInt, kInt, kInt,
                                 kInt,          kTimezone | kNone};
constexpr Types kTimezoneOf[] = {kTimedelta, kStr};
constexpr Types kFractionOf[] = {kStr | kInt, kInt};
constexpr Types kReconstructorOf[] = {kClass, kBuiltinType, kNone | kDict};
constexpr Types kArrayOf[] = {kArrayClass, kInts, kBytes | kStr};
constexpr Types kScalarOf[] = {kDtype, kBytes | kStr};
constexpr Types kBufferOf[] = {kBytes, kDtype, kInts, kStr};
constexpr Types kDtypeOf[] = {kStr, kBool | kInt, kBool | kInt};
constexpr Types kSizeOf[] = {kInts};
constexpr Types kDeviceOf[] = {kStr, kInt};
constexpr Types kTensorV1[] = {kStorage, kInt, kInts, kInts};
constexpr Types kTensorV2[] = {kStorage, kInt,           kInts,           kInts,
                               kBool,    kEmpty | kNone, kAnyDict | kNone};
constexpr Types kTensorV3[] = {kStorage, kInt,           kInts,       kInts,
                               kBool,    kEmpty | kNone, kTorchDtype, kAnyDict | kNone};
constexpr Types kMetaTensor[] = {kTorchDtype, kInts, kInts, kBool};
constexpr Types kFromNumpy[] = {kArray, kTorchDtype, kStr | kDevice, kBool};
constexpr Types kFromCpu[] = {kTensor, kTorchDtype, kStr | kDevice, kBool};
constexpr Types kQuantized[] = {kStorage, kInt, kInts, kInts, kTuple, kBool, kEmpty | kNone};
constexpr Types kSparse[] = {kLayout, kTuple};
constexpr Types kNested[] = {kTensor, kTensor, kTensor, kTensor | kList | kInts};
constexpr Types kParameterOf[] = {kTensor, kBool, kEmpty | kNone};
constexpr Types kParameterWithState[] = {kTensor, kBool, kEmpty | kNone, kAnyDict | kTuple | kNone};
constexpr Types kFromTypeOf[] = {kFunction, kTensorClass, kTuple, kAnyDict | kTuple | kNone};
constexpr Types kPacked[] = {kTensor, kTensor | kNone, kTensor | kNone, kTensor | kNone};
constexpr Types kScriptList[] = {kList};
constexpr Types kTagged[] = {kList | kAnyDict, kStr};

using enum Calls;
using C = Condition;

// Names, what they are as values, what a call of them gives, how they are called, the parameters.
constexpr HarmlessGlobal kGlobals[] = {
    {"_codecs.encode", kFunction, kBytes, kReduce, C::kEncode, 2, kTwoTexts},
    {"argparse.Namespace", kClass, kNamespace, kNewObj},
    {"builtins.bool", kBuiltinType},
    {"builtins.bytearray", kBuiltinType, kBytes, kReduce, C::kEncode, 0, kBytesOrText},
    {"builtins.bytes", kBuiltinType, kBytes, kReduce},
    {"builtins.complex", kBuiltinType, kPlain, kReduce, C::kNone, 2, kTwoFloats},
    {"builtins.dict", kBuiltinType, kDictLike, kReduce},
    {"builtins.float", kBuiltinType},
    {"builtins.frozenset", kBuiltinType, kSet, kReduce, C::kKeys, 0, kSequence},
    {"builtins.int", kBuiltinType},
    {"builtins.list", kBuiltinType},
    {"builtins.object", kBuiltinType, kPlain, kEither},
    {"builtins.range", kBuiltinType, kPlain, kReduce, C::kNone, 1, kIntegers},
    {"builtins.set", kBuiltinType, kSet, kReduce, C::kKeys, 0, kSequence},
    {"builtins.slice", kBuiltinType, kPlain, kReduce, C::kNone, 1, kSliceEnds},
    {"builtins.str", kBuiltinType},
    {"builtins.tuple", kBuiltinType},
    {"collections.Counter", kClass, kDictLike, kReduce, C::kNone, 0, kOneDict},
    {"collections.OrderedDict", kBuiltinType, kOrderedDict, kReduce, C::kPairs, 0, kPairsOnly},
    {"collections.defaultdict", kClass, kDictLike, kReduce, C::kNone, 0, kFactory},
    {"collections.deque", kClass, kDeque, kReduce, C::kNone, 0, kDequeOf},
    {"copyreg._reconstructor", kFunction, 0, kReduce, C::kReconstructor, 3, kReconstructorOf},
    {"datetime.date", kClass, kPlain, kReduce, C::kNone, 1, kDateOf},
    {"datetime.datetime", kClass, kPlain, kReduce, C::kNone, 1, kDatetimeOf},
    {"datetime.timedelta", kClass, kTimedelta, kReduce, C::kNone, 0, kIntegers},
    {"datetime.timezone", kClass, kTimezone, kReduce, C::kNone, 1, kTimezoneOf},
    {"decimal.Decimal", kClass, kPlain, kReduce, C::kNone, 1, kText},
    {"fractions.Fraction", kClass, kPlain, kReduce, C::kFraction, 1, kFractionOf},
    {"lightning.fabric.utilities.data.AttributeDict", kClass, kAttributeDict, kNewObj},
    {"lightning_fabric.utilities.data.AttributeDict", kClass, kAttributeDict, kNewObj},
    {"numpy.core.multiarray._reconstruct", kFunction, kBareArray, kReduce, C::kNumpyArray, 3,
     kArrayOf},
    {"numpy.core.multiarray.scalar", kFunction, kPlain, kReduce, C::kNone, 2, kScalarOf},
    {"numpy.core.numeric._frombuffer", kFunction, kArray, kReduce, C::kNone, 4, kBufferOf},
    {"numpy.dtype", kClass, kBareDtype, kReduce, C::kNumpyDtype, 3, kDtypeOf},
    {"numpy.ndarray", kArrayClass},
    {"omegaconf.base.ContainerMetadata", kClass, kConfigMetadata, kNewObj},
    {"omegaconf.base.Metadata", kClass, kConfigMetadata, kNewObj},
    {"omegaconf.dictconfig.DictConfig", kClass, kConfig, kNewObj},
    {"omegaconf.listconfig.ListConfig", kClass, kConfig, kNewObj},
    {"omegaconf.nodes.AnyNode", kClass, kConfig, kNewObj},
    {"omegaconf.nodes.BooleanNode", kClass, kConfig, kNewObj},
    {"omegaconf.nodes.FloatNode", kClass, kConfig, kNewObj},
    {"omegaconf.nodes.IntegerNode", kClass, kConfig, kNewObj},
    {"omegaconf.nodes.StringNode", kClass, kConfig, kNewObj},
    {"pathlib.Path", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pathlib.PosixPath", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pathlib.PurePath", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pathlib.PurePosixPath", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pathlib.PureWindowsPath", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pathlib.WindowsPath", kClass, kPlain, kReduce, C::kNone, 0, kTexts},
    {"pytorch_lightning.utilities.parsing.AttributeDict", kClass, kAttributeDict, kNewObj},
    {"torch.Size", kBuiltinType, kInts, kReduce, C::kNone, 1, kSizeOf},
    {"torch.Tensor", kTensorClass},
    {"torch._C._nn.gelu", kNamed},
    {"torch._tensor._rebuild_from_type", kFunction, kTensor, kReduce, C::kFromType, 4, kFromTypeOf},
    {"torch._tensor._rebuild_from_type_v2", kFunction, kTensor, kReduce, C::kFromType, 4,
     kFromTypeOf},
    {"torch._utils._rebuild_device_tensor_from_cpu_tensor", kFunction, kTensor, kReduce, C::kNone,
     4, kFromCpu},
    {"torch._utils._rebuild_device_tensor_from_numpy", kFunction, kTensor, kReduce, C::kNone, 4,
     kFromNumpy},
    {"torch._utils._rebuild_meta_tensor_no_storage", kFunction, kTensor, kReduce, C::kNone, 4,
     kMetaTensor},
    {"torch._utils._rebuild_nested_tensor", kFunction, kTensor, kReduce, C::kNone, 4, kNested},
    {"torch._utils._rebuild_parameter", kFunction, kTensor, kReduce, C::kNone, 3, kParameterOf},
    {"torch._utils._rebuild_parameter_with_state", kFunction, kTensor, kReduce, C::kTensorState, 4,
     kParameterWithState},
    {"torch._utils._rebuild_qtensor", kFunction, kTensor, kReduce, C::kTensorData, 7, kQuantized},
    {"torch._utils._rebuild_sparse_csr_tensor", kFunction, kTensor, kReduce, C::kTensorData, 2,
     kSparse},
    {"torch._utils._rebuild_sparse_tensor", kFunction, kTensor, kReduce, C::kTensorData, 2,
     kSparse},
    {"torch._utils._rebuild_tensor", kFunction, kTensor, kReduce, C::kNone, 4, kTensorV1},
    {"torch._utils._rebuild_tensor_v2", kFunction, kTensor, kReduce, C::kNone, 6, kTensorV2},
    {"torch._utils._rebuild_tensor_v3", kFunction, kTensor, kReduce, C::kNone, 7, kTensorV3},
    {"torch._utils._rebuild_xla_tensor", kFunction, kTensor, kReduce, C::kNone, 4, kFromNumpy},
    {"torch.channels_last", kNamed},
    {"torch.contiguous_format", kNamed},
    {"torch.device", kClass, kDevice, kReduce, C::kNone, 1, kDeviceOf},
    {"torch.jit._pickle.build_boollist", kFunction, kList, kReduce, C::kNone, 1, kScriptList},
    {"torch.jit._pickle.build_doublelist", kFunction, kList, kReduce, C::kNone, 1, kScriptList},
    {"torch.jit._pickle.build_intlist", kFunction, kList, kReduce, C::kNone, 1, kScriptList},
    {"torch.jit._pickle.build_tensorlist", kFunction, kList, kReduce, C::kNone, 1, kScriptList},
    {"torch.jit._pickle.restore_type_tag", kFunction, 0, kReduce, C::kSameValue, 2, kTagged},
    {"torch.nn.functional.gelu", kNamed},
    {"torch.nn.functional.relu", kNamed},
    {"torch.nn.modules.module._WrappedHook", kClass, kHook, kNewObj},
    {"torch.nn.parameter.Buffer", kTensorClass},
    {"torch.nn.parameter.Parameter", kTensorClass},
    {"torch.nn.utils.rnn.PackedSequence", kClass, kPlain, kNewObjWith, C::kNone, 1, kPacked},
    {"torch.nn.utils.spectral_norm.SpectralNorm", kClass, kHolder, kNewObj},
    {"torch.nn.utils.spectral_norm.SpectralNormLoadStateDictPreHook", kClass, kHolder, kNewObj},
    {"torch.nn.utils.spectral_norm.SpectralNormStateDictHook", kClass, kHolder, kNewObj},
    {"torch.nn.utils.weight_norm.WeightNorm", kClass, kHolder, kNewObj},
    {"torch.per_channel_affine", kQscheme},
    {"torch.per_channel_affine_float_qparams", kQscheme},
    {"torch.per_channel_symmetric", kQscheme},
    {"torch.per_tensor_affine", kQscheme},
    {"torch.per_tensor_symmetric", kQscheme},
    {"torch.preserve_format", kNamed},
    {"torch.serialization._get_layout", kFunction, kLayout, kReduce, C::kNone, 1, kText},
    {"torch.storage.TypedStorage", kStorageClass},
    {"torch.storage.UntypedStorage", kStorageClass},
    {"torch.storage._LegacyStorage", kStorageClass},
    {"typing.Any", kNamed},
    {"uuid.UUID", kClass, kUuid, kNewObj},
};

// The public modules of PyTorch 1.13 and 2, without those that have functions in their state
// (Lazy...) or that start something when they are loaded (DistributedDataParallel). Their
// __setstate__ does nothing but fill in attributes that older versions did not save.
constexpr std::string_view kModules[] = {
    "torch.nn.modules.activation.CELU",
    "torch.nn.modules.activation.ELU",
    "torch.nn.modules.activation.GELU",
    "torch.nn.modules.activation.GLU",
    "torch.nn.modules.activation.Hardshrink",
    "torch.nn.modules.activation.Hardsigmoid",
    "torch.nn.modules.activation.Hardswish",
    "torch.nn.modules.activation.Hardtanh",
    "torch.nn.modules.activation.LeakyReLU",
    "torch.nn.modules.activation.LogSigmoid",
    "torch.nn.modules.activation.LogSoftmax",
    "torch.nn.modules.activation.Mish",
    "torch.nn.modules.activation.MultiheadAttention",
    "torch.nn.modules.activation.PReLU",
    "torch.nn.modules.activation.RReLU",
    "torch.nn.modules.activation.ReLU",
    "torch.nn.modules.activation.ReLU6",
    "torch.nn.modules.activation.SELU",
    "torch.nn.modules.activation.SiLU",
    "torch.nn.modules.activation.Sigmoid",
    "torch.nn.modules.activation.Softmax",
    "torch.nn.modules.activation.Softmax2d",
    "torch.nn.modules.activation.Softmin",
    "torch.nn.modules.activation.Softplus",
    "torch.nn.modules.activation.Softshrink",
    "torch.nn.modules.activation.Softsign",
    "torch.nn.modules.activation.Tanh",
    "torch.nn.modules.activation.Tanhshrink",
    "torch.nn.modules.activation.Threshold",
    "torch.nn.modules.adaptive.AdaptiveLogSoftmaxWithLoss",
    "torch.nn.modules.batchnorm.BatchNorm1d",
    "torch.nn.modules.batchnorm.BatchNorm2d",
    "torch.nn.modules.batchnorm.BatchNorm3d",
    "torch.nn.modules.batchnorm.SyncBatchNorm",
    "torch.nn.modules.channelshuffle.ChannelShuffle",
    "torch.nn.modules.container.ModuleDict",
    "torch.nn.modules.container.ModuleList",
    "torch.nn.modules.container.ParameterDict",
    "torch.nn.modules.container.ParameterList",
    "torch.nn.modules.container.Sequential",
    "torch.nn.modules.conv.Conv1d",
    "torch.nn.modules.conv.Conv2d",
    "torch.nn.modules.conv.Conv3d",
    "torch.nn.modules.conv.ConvTranspose1d",
    "torch.nn.modules.conv.ConvTranspose2d",
    "torch.nn.modules.conv.ConvTranspose3d",
    "torch.nn.modules.distance.CosineSimilarity",
    "torch.nn.modules.distance.PairwiseDistance",
    "torch.nn.modules.dropout.AlphaDropout",
    "torch.nn.modules.dropout.Dropout",
    "torch.nn.modules.dropout.Dropout1d",
    "torch.nn.modules.dropout.Dropout2d",
    "torch.nn.modules.dropout.Dropout3d",
    "torch.nn.modules.dropout.FeatureAlphaDropout",
    "torch.nn.modules.flatten.Flatten",
    "torch.nn.modules.flatten.Unflatten",
    "torch.nn.modules.fold.Fold",
    "torch.nn.modules.fold.Unfold",
    "torch.nn.modules.instancenorm.InstanceNorm1d",
    "torch.nn.modules.instancenorm.InstanceNorm2d",
    "torch.nn.modules.instancenorm.InstanceNorm3d",
    "torch.nn.modules.linear.Bilinear",
    "torch.nn.modules.linear.Identity",
    "torch.nn.modules.linear.Linear",
    "torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
    "torch.nn.modules.loss.BCELoss",
    "torch.nn.modules.loss.BCEWithLogitsLoss",
    "torch.nn.modules.loss.CTCLoss",
    "torch.nn.modules.loss.CosineEmbeddingLoss",
    "torch.nn.modules.loss.CrossEntropyLoss",
    "torch.nn.modules.loss.GaussianNLLLoss",
    "torch.nn.modules.loss.HingeEmbeddingLoss",
    "torch.nn.modules.loss.HuberLoss",
    "torch.nn.modules.loss.KLDivLoss",
    "torch.nn.modules.loss.L1Loss",
    "torch.nn.modules.loss.MSELoss",
    "torch.nn.modules.loss.MarginRankingLoss",
    "torch.nn.modules.loss.MultiLabelMarginLoss",
    "torch.nn.modules.loss.MultiLabelSoftMarginLoss",
    "torch.nn.modules.loss.MultiMarginLoss",
    "torch.nn.modules.loss.NLLLoss",
    "torch.nn.modules.loss.NLLLoss2d",
    "torch.nn.modules.loss.PoissonNLLLoss",
    "torch.nn.modules.loss.SmoothL1Loss",
    "torch.nn.modules.loss.SoftMarginLoss",
    "torch.nn.modules.loss.TripletMarginLoss",
    "torch.nn.modules.loss.TripletMarginWithDistanceLoss",
    "torch.nn.modules.normalization.CrossMapLRN2d",
    "torch.nn.modules.normalization.GroupNorm",
    "torch.nn.modules.normalization.LayerNorm",
    "torch.nn.modules.normalization.LocalResponseNorm",
    "torch.nn.modules.normalization.RMSNorm",
    "torch.nn.modules.padding.CircularPad1d",
    "torch.nn.modules.padding.CircularPad2d",
    "torch.nn.modules.padding.CircularPad3d",
    "torch.nn.modules.padding.ConstantPad1d",
    "torch.nn.modules.padding.ConstantPad2d",
    "torch.nn.modules.padding.ConstantPad3d",
    "torch.nn.modules.padding.ReflectionPad1d",
    "torch.nn.modules.padding.ReflectionPad2d",
    "torch.nn.modules.padding.ReflectionPad3d",
    "torch.nn.modules.padding.ReplicationPad1d",
    "torch.nn.modules.padding.ReplicationPad2d",
    "torch.nn.modules.padding.ReplicationPad3d",
    "torch.nn.modules.padding.ZeroPad1d",
    "torch.nn.modules.padding.ZeroPad2d",
    "torch.nn.modules.padding.ZeroPad3d",
    "torch.nn.modules.pixelshuffle.PixelShuffle",
    "torch.nn.modules.pixelshuffle.PixelUnshuffle",
    "torch.nn.modules.pooling.AdaptiveAvgPool1d",
    "torch.nn.modules.pooling.AdaptiveAvgPool2d",
    "torch.nn.modules.pooling.AdaptiveAvgPool3d",
    "torch.nn.modules.pooling.AdaptiveMaxPool1d",
    "torch.nn.modules.pooling.AdaptiveMaxPool2d",
    "torch.nn.modules.pooling.AdaptiveMaxPool3d",
    "torch.nn.modules.pooling.AvgPool1d",
    "torch.nn.modules.pooling.AvgPool2d",
    "torch.nn.modules.pooling.AvgPool3d",
    "torch.nn.modules.pooling.FractionalMaxPool2d",
    "torch.nn.modules.pooling.FractionalMaxPool3d",
    "torch.nn.modules.pooling.LPPool1d",
    "torch.nn.modules.pooling.LPPool2d",
    "torch.nn.modules.pooling.MaxPool1d",
    "torch.nn.modules.pooling.MaxPool2d",
    "torch.nn.modules.pooling.MaxPool3d",
    "torch.nn.modules.pooling.MaxUnpool1d",
    "torch.nn.modules.pooling.MaxUnpool2d",
    "torch.nn.modules.pooling.MaxUnpool3d",
    "torch.nn.modules.rnn.GRU",
    "torch.nn.modules.rnn.GRUCell",
    "torch.nn.modules.rnn.LSTM",
    "torch.nn.modules.rnn.LSTMCell",
    "torch.nn.modules.rnn.RNN",
    "torch.nn.modules.rnn.RNNBase",
    "torch.nn.modules.rnn.RNNCell",
    "torch.nn.modules.rnn.RNNCellBase",
    "torch.nn.modules.sparse.Embedding",
    "torch.nn.modules.sparse.EmbeddingBag",
    "torch.nn.modules.transformer.Transformer",
    "torch.nn.modules.transformer.TransformerDecoder",
    "torch.nn.modules.transformer.TransformerDecoderLayer",
    "torch.nn.modules.transformer.TransformerEncoder",
    "torch.nn.modules.transformer.TransformerEncoderLayer",
    "torch.nn.modules.upsampling.Upsample",
    "torch.nn.modules.upsampling.UpsamplingBilinear2d",
    "torch.nn.modules.upsampling.UpsamplingNearest2d",
    "torch.nn.parallel.data_parallel.DataParallel",
};

// Their __setstate__ goes through the groups and the state, and fills in what older versions did
// not save.
constexpr std::string_view kOptimizers[] = {
    "torch.optim._adafactor.Adafactor",
    "torch.optim._muon.Muon",
    "torch.optim.adadelta.Adadelta",
    "torch.optim.adagrad.Adagrad",
    "torch.optim.adam.Adam",
    "torch.optim.adamax.Adamax",
    "torch.optim.adamw.AdamW",
    "torch.optim.asgd.ASGD",
    "torch.optim.lbfgs.LBFGS",
    "torch.optim.nadam.NAdam",
    "torch.optim.radam.RAdam",
    "torch.optim.rmsprop.RMSprop",
    "torch.optim.rprop.Rprop",
    "torch.optim.sgd.SGD",
    "torch.optim.sparse_adam.SparseAdam",
};

// These have no __setstate__: a state is written into their attributes.
constexpr std::string_view kSchedulers[] = {
    "torch.optim.lr_scheduler.ChainedScheduler",
    "torch.optim.lr_scheduler.ConstantLR",
    "torch.optim.lr_scheduler.CosineAnnealingLR",
    "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts",
    "torch.optim.lr_scheduler.CyclicLR",
    "torch.optim.lr_scheduler.ExponentialLR",
    "torch.optim.lr_scheduler.LinearLR",
    "torch.optim.lr_scheduler.MultiStepLR",
    "torch.optim.lr_scheduler.OneCycleLR",
    "torch.optim.lr_scheduler.PolynomialLR",
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
    "torch.optim.lr_scheduler.SequentialLR",
    "torch.optim.lr_scheduler.StepLR",
};

// Lightning before 1.5 saved the states of callbacks under their classes. Both packages.
constexpr std::string_view kCallbacks[] = {
    "early_stopping.EarlyStopping",
    "gradient_accumulation_scheduler.GradientAccumulationScheduler",
    "lr_monitor.LearningRateMonitor",
    "model_checkpoint.ModelCheckpoint",
    "progress.ProgressBar",
    "stochastic_weight_avg.StochasticWeightAveraging",
    "timer.Timer",
};

constexpr std::string_view kCallbackPackages[] = {
    "lightning.pytorch.callbacks.",
    "pytorch_lightning.callbacks.",
};

// torch.FloatStorage, torch.cuda.FloatTensor and so on.
constexpr std::string_view kElementNames[] = {
    "BFloat16", "Bool",     "Byte",     "Char",   "ComplexDouble", "ComplexFloat",
    "Double",   "Float",    "Half",     "Int",    "Long",          "QInt32",
    "QInt8",    "QUInt2x4", "QUInt4x2", "QUInt8", "Short",
};

// Methods of the classes above, and of Lightning's Module. A state has no attributes of these
// names.
constexpr std::string_view kMethods[] = {
    "_annealing_cos",
    "_annealing_linear",
    "_apply",
    "_apply_instance_norm",
    "_call_impl",
    "_check_input_dim",
    "_check_non_zero_input_channels",
    "_compiled_call_impl",
    "_conv_forward",
    "_exp_range_scale_fn",
    "_ff_block",
    "_fill_padding_idx_with_zero",
    "_format_param",
    "_get_abs_string_index",
    "_get_backward_hooks",
    "_get_backward_pre_hooks",
    "_get_closed_form_lr",
    "_get_full_log_prob",
    "_get_item_by_idx",
    "_get_name",
    "_get_no_batch_dim",
    "_handle_no_batch_input",
    "_init_group",
    "_init_is_better",
    "_initial_step",
    "_key_to_attr",
    "_load_from_state_dict",
    "_maybe_warn_non_full_backward_hook",
    "_mha_block",
    "_named_members",
    "_output_padding",
    "_reduce_lr",
    "_register_load_state_dict_pre_hook",
    "_register_state_dict_hook",
    "_replicate_for_data_parallel",
    "_require_tuple_int",
    "_require_tuple_tuple",
    "_reset",
    "_reset_parameters",
    "_sa_block",
    "_save_to_state_dict",
    "_slow_forward",
    "_triangular2_scale_fn",
    "_triangular_scale_fn",
    "_update_causal_mask",
    "_wrapped_call_impl",
    "add_module",
    "append",
    "apply",
    "bfloat16",
    "buffers",
    "check_forward_args",
    "check_hidden_size",
    "check_input",
    "children",
    "clear",
    "compile",
    "convert_sync_batchnorm",
    "copy",
    "cpu",
    "cuda",
    "double",
    "eval",
    "extend",
    "extra_repr",
    "flatten_parameters",
    "float",
    "forward",
    "from_pretrained",
    "fromkeys",
    "generate_square_subsequent_mask",
    "get",
    "get_buffer",
    "get_expected_cell_size",
    "get_expected_hidden_size",
    "get_extra_state",
    "get_last_lr",
    "get_lr",
    "get_parameter",
    "get_submodule",
    "half",
    "insert",
    "ipu",
    "is_better",
    "items",
    "keys",
    "load_state_dict",
    "log_prob",
    "merge_masks",
    "modules",
    "mtia",
    "named_buffers",
    "named_children",
    "named_modules",
    "named_parameters",
    "on_load_checkpoint",
    "on_save_checkpoint",
    "parameters",
    "permute_hidden",
    "pop",
    "popitem",
    "predict",
    "print_lr",
    "register_backward_hook",
    "register_buffer",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook",
    "register_module",
    "register_parameter",
    "register_state_dict_post_hook",
    "register_state_dict_pre_hook",
    "requires_grad_",
    "reset_parameters",
    "reset_running_stats",
    "set_extra_state",
    "set_submodule",
    "setdefault",
    "setup",
    "share_memory",
    "state_dict",
    "state_key",
    "step",
    "teardown",
    "to",
    "to_empty",
    "train",
    "type",
    "update",
    "values",
    "xpu",
    "zero_grad",
};

// All of the tables, by name.
class Index {
 public:
  Index() {
    for (const HarmlessGlobal& global : kGlobals) globals_.emplace(global.name, global);
    add_all(kModules, {"", kClass, kModule, kNewObj});
    add_all(kOptimizers, {"", kClass, kOptimizer, kNewObj});
    add_all(kSchedulers, {"", kClass, kHolder, kNewObj});
    for (const std::string_view package : kCallbackPackages)
      for (const std::string_view name : kCallbacks)
        add(cat(package, name), {"", kNamed, kHolder, kNewObj});
    for (const std::string_view module : {"torch.", "torch.cuda."})
      for (const std::string_view element : kElementNames) {
        add(cat(module, element, "Storage"), {"", kStorageClass});
        add(cat(module, element, "Tensor"), {"", kTensorClass});
      }
  }

  const HarmlessGlobal* find(const std::string& name) const {
    const auto found = globals_.find(name);
    return found == globals_.end() ? nullptr : &found->second;
  }

 private:
  void add(std::string name, const HarmlessGlobal& global) {
    globals_.emplace(std::move(name), global);
  }
  void add_all(std::span<const std::string_view> names, const HarmlessGlobal& global) {
    for (const std::string_view name : names) add(std::string(name), global);
  }

  std::unordered_map<std::string, HarmlessGlobal> globals_;
};

constexpr HarmlessGlobal kTorchDtypes = {"", kTorchDtype};
// TorchScript's own classes live in its archive, and are not Python's.
constexpr HarmlessGlobal kScriptClasses = {"", kClass, kScript, kNewObj};

}  // namespace

const HarmlessGlobal* find_harmless(std::string_view module, std::string_view name) {
  if (module == "__torch__" || module.starts_with("__torch__.")) return &kScriptClasses;
  if (name.find('.') != std::string_view::npos) return nullptr;
  if (module == "torch" && dtype_named(name)) return &kTorchDtypes;
  static const Index kIndex;
  return kIndex.find(plain_global_name(cat(module, ".", name)));
}

bool is_method_name(std::string_view name) {
  return std::binary_search(std::begin(kMethods), std::end(kMethods), name);
}

}  // namespace voxport
