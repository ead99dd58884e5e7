class Net(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  w : Tensor
  size : Final[int] = 2
  __annotations__["0"] = Tensor
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    w = self.w
    a, b = torch.max(x, 1), (w, CONSTANTS.c0)
    c, d, = b
    for i in range(self.size):
      a = torch.add(a, __torch__.f(c, i, ), alpha=-1)
    self.w = a
    return a if self.training and not d is None else {"k": [a[0], -inf]}
def f(x: Tensor,
    n: int=1) -> Tensor:
  while torch.lt(n, 3):
    n = torch.add(n, 1)
  if bool(x):
    y = annotate(int, x)
  else:
    y = uninitialized(int)
  return y
