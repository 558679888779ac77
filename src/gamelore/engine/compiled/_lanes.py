"""Vectors of lanes for kernels: many games' bits in registers, one bit a game.

`Lanes` of w words hold 64 w games. Kernels load them from *rows* of an array of words,
combine them with `& | ^ ~`, and store them back; LLVM turns that into the widest vector
instructions the machine has, which it does not manage for loops over words.

Planes are tuples of lanes: plane p holds bit p of a number per lane, so that counting
and comparing work for all lanes at once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import populate_array

from gamelore.kernels import PART

_I64 = ir.IntType(64)
_I32 = ir.IntType(32)


class LanesType(types.Type):
    """The type of lanes of a number of words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Lanes{words}")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, ir.VectorType(_I64, kind.words))


def _pointer(builder: Any, address: Any, word: Any, kind: LanesType) -> Any:
    base = builder.inttoptr(address, _I64.as_pointer())
    vector = ir.VectorType(_I64, kind.words)
    return builder.bitcast(builder.gep(base, [word]), vector.as_pointer())


def _alignment(kind: LanesType) -> int:
    return min(8 * kind.words, 32)


def _make_load(words: int) -> Callable[..., Any]:
    kind = LanesType(words)

    @intrinsic
    def load(context, address, word):
        """The lanes that start at a word after the address."""

        def code(context, builder, signature, arguments):
            pointer = _pointer(builder, *arguments, kind)
            return builder.load(pointer, align=_alignment(kind))

        return kind(types.uint64, types.int64), code

    return load


def _make_splat(words: int) -> Callable[..., Any]:
    kind = LanesType(words)

    @intrinsic
    def splat(context, word):
        """Lanes with the same word everywhere."""

        def code(context, builder, signature, arguments):
            vector = ir.VectorType(_I64, words)
            nothing = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(nothing, arguments[0], ir.Constant(_I32, 0))
            zeros = ir.Constant(ir.VectorType(_I32, words), [0] * words)
            return builder.shuffle_vector(first, nothing, zeros)

        return kind(types.uint64), code

    return splat


load8, load4 = _make_load(8), _make_load(4)
splat8, splat4 = _make_splat(8), _make_splat(4)


@intrinsic
def store(context, address, word, lanes):
    """Put lanes where they start at a word after the address."""

    def code(context, builder, signature, arguments):
        pointer = _pointer(builder, arguments[0], arguments[1], lanes)
        builder.store(arguments[2], pointer, align=_alignment(lanes))
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64, lanes), code


def _binary(operation: str) -> Callable[..., Any]:
    @intrinsic
    def apply(context, a, b):
        def code(context, builder, signature, arguments):
            return getattr(builder, operation)(*arguments)

        return a(a, b), code

    return apply


_and, _or, _xor = map(_binary, ("and_", "or_", "xor"))


def _define(symbol: Callable[..., Any], primitive: Callable[..., Any]) -> None:
    @overload(symbol, jit_options=PART)
    def define(a, b):
        if isinstance(a, LanesType) and a == b:
            return lambda a, b: primitive(a, b)
        return None


for _symbol, _primitive in (
    (operator.and_, _and),
    (operator.or_, _or),
    (operator.xor, _xor),
):
    _define(_symbol, _primitive)


@intrinsic
def _not(context, a):
    def code(context, builder, signature, arguments):
        return builder.not_(arguments[0])

    return a(a), code


@overload(operator.invert, jit_options=PART)
def _invert(a):
    if isinstance(a, LanesType):
        return lambda a: _not(a)
    return None


@intrinsic
def any_lane(context, lanes):
    """Whether any lane is set."""

    def code(context, builder, signature, arguments):
        wide = ir.IntType(64 * lanes.words)
        number = builder.bitcast(arguments[0], wide)
        return builder.icmp_unsigned("!=", number, ir.Constant(wide, 0))

    return types.boolean(lanes), code


# ── planes ──────────────────────────────────────────────────────────────────────────


def _planes_type(lanes: LanesType, count: int) -> types.UniTuple:
    return types.UniTuple(lanes, count)


def _unpack(builder: Any, planes: Any, count: int) -> list[Any]:
    return [builder.extract_value(planes, p) for p in range(count)]


def _pack(builder: Any, values: list[Any]) -> Any:
    packed = ir.Constant(ir.ArrayType(values[0].type, len(values)), ir.Undefined)
    for p, value in enumerate(values):
        packed = builder.insert_value(packed, value, p)
    return packed


@intrinsic
def zero_planes(context, lanes, count):
    """The number 0 in every lane, in a constant number of planes."""

    def code(context, builder, signature, arguments):
        zero = ir.Constant(arguments[0].type, None)
        return _pack(builder, [zero] * count.literal_value)

    if not isinstance(count, types.IntegerLiteral):
        return None
    return _planes_type(lanes, count.literal_value)(lanes, count), code


@intrinsic
def increase(context, planes, lanes):
    """Add one where a lane is set."""

    def code(context, builder, signature, arguments):
        carry = arguments[1]
        result = []
        for plane in _unpack(builder, arguments[0], planes.count):
            result.append(builder.xor(plane, carry))
            carry = builder.and_(plane, carry)
        return _pack(builder, result)

    return planes(planes, lanes), code


@intrinsic
def decrease(context, planes, lanes):
    """Subtract one where a lane is set; below zero comes the largest number."""

    def code(context, builder, signature, arguments):
        borrow = arguments[1]
        result = []
        for plane in _unpack(builder, arguments[0], planes.count):
            result.append(builder.xor(plane, borrow))
            borrow = builder.and_(builder.not_(plane), borrow)
        return _pack(builder, result)

    return planes(planes, lanes), code


@intrinsic
def add_planes(context, planes, few):
    """Add a number of fewer planes, or as many."""

    def code(context, builder, signature, arguments):
        addends = _unpack(builder, arguments[1], few.count)
        carry = ir.Constant(ir.VectorType(_I64, planes.dtype.words), None)
        result = []
        for p, plane in enumerate(_unpack(builder, arguments[0], planes.count)):
            half = builder.xor(plane, addends[p]) if p < few.count else plane
            both = builder.and_(half, carry)
            result.append(builder.xor(half, carry))
            if p < few.count:
                both = builder.or_(both, builder.and_(plane, addends[p]))
            carry = both
        return _pack(builder, result)

    return planes(planes, few), code


@intrinsic
def multiply_planes(context, one, other):
    """The product of two numbers, in as many planes as both have together."""

    def code(context, builder, signature, arguments):
        first = _unpack(builder, arguments[0], one.count)
        result = [ir.Constant(first[0].type, None)] * (one.count + other.count)
        for shift, factor in enumerate(_unpack(builder, arguments[1], other.count)):
            carry = None
            for p, plane in enumerate(first, start=shift):
                term, sum_ = builder.and_(plane, factor), result[p]
                differ = builder.xor(term, sum_)
                both = builder.and_(term, sum_)
                if carry is None:
                    result[p], carry = differ, both
                else:
                    result[p] = builder.xor(differ, carry)
                    carry = builder.or_(both, builder.and_(differ, carry))
            result[shift + one.count] = carry
        return _pack(builder, result)

    return _planes_type(one.dtype, one.count + other.count)(one, other), code


def _difference(builder: Any, planes: Any, few: Any, arguments: Any) -> list[Any]:
    """Planes of one number minus another of fewer planes, and then the borrow."""
    others = _unpack(builder, arguments[1], few.count)
    borrow = ir.Constant(ir.VectorType(_I64, planes.dtype.words), None)
    result = []
    for p, plane in enumerate(_unpack(builder, arguments[0], planes.count)):
        if p < few.count:
            half = builder.xor(plane, others[p])
            lacking = builder.and_(builder.not_(plane), others[p])
        else:
            half, lacking = plane, None
        result.append(builder.xor(half, borrow))
        borrow = builder.and_(builder.not_(half), borrow)
        if lacking is not None:
            borrow = builder.or_(borrow, lacking)
    return [*result, borrow]


@intrinsic
def subtract_planes(context, planes, few):
    """Subtract a number of fewer planes, or as many."""

    def code(context, builder, signature, arguments):
        return _pack(builder, _difference(builder, planes, few, arguments)[:-1])

    return planes(planes, few), code


@intrinsic
def below(context, planes, few):
    """The lanes where a number is less than another of fewer planes, or as many."""

    def code(context, builder, signature, arguments):
        return _difference(builder, planes, few, arguments)[-1]

    return planes.dtype(planes, few), code


@intrinsic
def nonzero(context, planes):
    """The lanes whose number is not 0."""

    def code(context, builder, signature, arguments):
        result, *rest = _unpack(builder, arguments[0], planes.count)
        for plane in rest:
            result = builder.or_(result, plane)
        return result

    return planes.dtype(planes), code


@intrinsic
def smear(context, planes):
    """Every bit below a number's highest one set too."""

    def code(context, builder, signature, arguments):
        values = _unpack(builder, arguments[0], planes.count)
        for p in range(planes.count - 2, -1, -1):
            values[p] = builder.or_(values[p], values[p + 1])
        return _pack(builder, values)

    return planes(planes), code


@intrinsic
def mask_planes(context, one, other):
    """Both numbers' common bits."""

    def code(context, builder, signature, arguments):
        pairs = zip(*(_unpack(builder, a, one.count) for a in arguments), strict=True)
        return _pack(builder, [builder.and_(a, b) for a, b in pairs])

    return one(one, other), code


@intrinsic
def above(context, one, other):
    """The lanes where one number is greater than the other."""

    def code(context, builder, signature, arguments):
        pairs = zip(*(_unpack(builder, a, one.count) for a in arguments), strict=True)
        greater = ir.Constant(ir.VectorType(_I64, one.dtype.words), None)
        for a, b in pairs:
            differ = builder.xor(a, b)
            here = builder.and_(differ, a)
            greater = builder.or_(here, builder.and_(builder.not_(differ), greater))
        return greater

    return one.dtype(one, other), code


@intrinsic
def replace_where(context, lanes, planes, other):
    """The other number where a lane is set."""

    def code(context, builder, signature, arguments):
        mask = arguments[0]
        keep = builder.not_(mask)
        pairs = zip(
            *(_unpack(builder, a, planes.count) for a in arguments[1:]), strict=True
        )
        merged = [
            builder.or_(builder.and_(a, keep), builder.and_(b, mask)) for a, b in pairs
        ]
        return _pack(builder, merged)

    return planes(lanes, planes, other), code


@intrinsic
def random_planes(context, state, address):
    """Random numbers in as many planes as `state` has, by xoshiro256++.

    Each word of lanes has a generator of its own; their states stand at the address.
    """

    def code(context, builder, signature, arguments):
        kind = state.dtype

        def place(i: int) -> Any:
            word = ir.Constant(_I64, i * kind.words)
            return _pointer(builder, arguments[1], word, kind)

        def constant(value: int) -> Any:
            return ir.Constant(ir.VectorType(_I64, kind.words), [value] * kind.words)

        def rotate(x: Any, k: int) -> Any:
            return builder.or_(
                builder.shl(x, constant(k)), builder.lshr(x, constant(64 - k))
            )

        align = _alignment(kind)
        s = [builder.load(place(i), align=align) for i in range(4)]
        values = []
        for _ in range(state.count):
            values.append(builder.add(rotate(builder.add(s[0], s[3]), 23), s[0]))
            shifted = builder.shl(s[1], constant(17))
            s[2] = builder.xor(s[2], s[0])
            s[3] = builder.xor(s[3], s[1])
            s[1] = builder.xor(s[1], s[2])
            s[0] = builder.xor(s[0], s[3])
            s[2] = builder.xor(s[2], shifted)
            s[3] = rotate(s[3], 45)
        for i in range(4):
            builder.store(s[i], place(i), align=align)
        return _pack(builder, values)

    return state(state, types.uint64), code


# ── single words ────────────────────────────────────────────────────────────────────


@intrinsic
def count_ones(context, word):
    """How many bits of a word are set."""

    def code(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@intrinsic
def lowest_one(context, word):
    """The number of the lowest bit that is set; the word must not be 0."""

    def code(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def block_on_stack(context):
    """Room for 64 × 64 bits, uint64 [64], while the function runs that asks for it."""
    kind = types.Array(types.uint64, 1, "C")

    def code(context, builder, signature, arguments):
        room = cgutils.alloca_once(builder, ir.ArrayType(_I64, 64))
        array = context.make_array(kind)(context, builder)
        populate_array(
            array,
            data=builder.bitcast(room, _I64.as_pointer()),
            shape=[ir.Constant(_I64, 64)],
            strides=[ir.Constant(_I64, 8)],
            itemsize=ir.Constant(_I64, 8),
            meminfo=None,
        )
        return array._getvalue()

    return kind(), code


@intrinsic
def prefetch(context, array, index):
    """Have an entry of an array fetched while other work goes on; not from its end."""

    def code(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        byte = ir.IntType(8).as_pointer()
        entry = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, is_data = (ir.Constant(_I32, n) for n in (0, 3, 1))
        builder.call(fetch, [entry, read, keep, is_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), code
