class Net(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  _is_full_backward_hook : Optional[bool]
  n : __torch__.NT
  def forward(s: __torch__.Net,
    x: Tensor) -> Dict[str, Tensor]:
    n = s.n
    p = (n).forward(x, )
    _0 = {"a": torch.mul((p)[0], 2), "b": (p)[1]}
    return _0
class NT(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  _is_full_backward_hook : Optional[bool]
  l : __torch__.torch.nn.modules.linear.Linear
  def forward(s: __torch__.NT,
    x: Tensor) -> __torch__.Pair:
    l = s.l
    y = (l).forward(x, )
    return __torch__.Pair(y, torch.exp(y))
class Pair(NamedTuple):
  mean : Tensor
  scale : Tensor
