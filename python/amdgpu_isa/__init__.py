"""Encode, decode, print, parse and patch the machine code of AMD GPUs.

>>> import amdgpu_isa as isa
>>> inst = isa.decode("mi300x", bytes.fromhex("04080a76"))
>>> print(inst)
v_fmac_f32_e32 v5, s4, v4
>>> inst.reads
['s4', 'exec_lo', 'exec_hi', 'v4', 'v5', 'mode']
>>> isa.parse("mi300x", "v_fmac_f32 v5, s4, v4") == inst
True
"""

from . import _native
from ._native import *  # noqa: F403

__version__ = _native.__version__
__all__ = [name for name in dir(_native) if not name.startswith("_")]
