class Net(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  _is_full_backward_hook : NoneType
  sizes : List[int]
  d : Dict[str, Tensor]
  t : Tuple[int, float]
  name : str
  opt : NoneType
  ws : List[Tensor]
  def forward(s: __torch__.Net,
    x: Tensor,
    st: Tuple[Tensor, Tensor],
    n: int=3,
    o: Optional[Tensor]=None,
    mode: str="q") -> Tuple[Tensor, Tuple[Tensor, Tensor], int]:
    _0 = annotate(List[Tensor], [])
    h, c, = st
    state = (h, c)
    state0 = state
    for i in range(torch.size(x, 0)):
      _1 = torch.select(x, 0, i)
      ws = s.ws
      a = torch.add(_1, ws[0])
      if bool(torch.gt(torch.sum(a), 0)):
        state2 = (torch.add((state0)[0], a), (state0)[1])
        state1 = state2
      else:
        state3 = ((state0)[0], torch.mul((state0)[1], 2))
        state1 = state3
      _2 = torch.append(_0, (state1)[0])
      state0 = state1
    if torch.lt(0, n):
      _4 = torch.lt(torch.sum((state0)[0]), 10)
      _3 = bool(_4)
    else:
      _3 = False
    state4 = state0
    i0 = 0
    _5 = _3
    while _5:
      _6 = torch.add((state4)[0], 1)
      state5 = (_6, (state4)[1])
      i1 = torch.add(i0, 1)
      if torch.lt(i1, n):
        _8 = bool(torch.lt(torch.sum(_6), 10))
        _7 = _8
      else:
        _7 = False
      _5, state4, i0 = _7, state5, i1
    if torch.__isnot__(o, None):
      o0 = unchecked_cast(Tensor, o)
      _9 = torch.append(_0, o0)
    else:
      pass
    if torch.eq(mode, "q"):
      d = s.d
      _10 = torch.reshape(torch.sum(d["a"]), [1])
      _11 = torch.append(_0, _10)
    else:
      pass
    _12 = torch.cat(_0)
    sizes = s.sizes
    return (_12, state4, sizes[0])
