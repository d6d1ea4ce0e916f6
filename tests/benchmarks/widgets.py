"""What a browser remembers of each widget it has drawn, and sends with every message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState

Proto = Any  # one of Streamlit's messages; what a field is called differs by widget


def _slider(state: WidgetState, proto: Proto, value: Any) -> None:
    if proto.type == proto.SELECT_SLIDER:
        state.string_array_value.data[:] = [str(value)]
    else:
        state.double_array_value.data[:] = [float(value)]


def _several(state: WidgetState, _: Proto, value: Any) -> None:
    values = value if isinstance(value, list) else [value]
    state.string_array_value.data[:] = [str(item) for item in values if item is not None]
    state.string_array_value.SetInParent()


def _number(state: WidgetState, proto: Proto, value: Any) -> None:
    if proto.data_type == proto.INT:
        state.int_value = int(value)
    else:
        state.double_value = float(value)


def _text(state: WidgetState, _: Proto, value: Any) -> None:
    if value is not None:
        state.string_value = str(value)


def _tick(state: WidgetState, _: Proto, value: Any) -> None:
    state.bool_value = bool(value)


def _slider_value(proto: Proto) -> Any:
    if proto.type == proto.SELECT_SLIDER:
        return proto.raw_value[0] if proto.set_value else proto.options[int(proto.default[0])]
    return (proto.value if proto.set_value else proto.default)[0]


def _buttons_value(proto: Proto) -> Any:
    return list(proto.raw_values) if proto.set_value else [proto.options[k].content for k in proto.default]


def _several_value(proto: Proto) -> Any:
    return list(proto.raw_values) if proto.set_value else [proto.options[k] for k in proto.default]


def _one_value(proto: Proto) -> Any:
    if proto.set_value:
        return proto.raw_value if proto.HasField("raw_value") else None
    return proto.options[proto.default] if proto.HasField("default") else None


def _plain_value(proto: Proto) -> Any:
    return proto.value if proto.set_value else proto.default


# By the kind of element: how its value is written into a state, and what it says that its value is.
KINDS: dict[str, tuple[Callable[[WidgetState, Proto, Any], None], Callable[[Proto], Any]]] = {
    "slider": (_slider, _slider_value),
    "button_group": (_several, _buttons_value),
    "multiselect": (_several, _several_value),
    "selectbox": (_text, _one_value),
    "text_input": (_text, _plain_value),
    "text_area": (_text, _plain_value),
    "number_input": (_number, _plain_value),
    "checkbox": (_tick, _plain_value),
}


@dataclass
class Widget:
    """One widget on screen: what it holds, and the parameter of the link that it is bound to, if any."""

    proto: Proto
    kind: str
    state: WidgetState

    @property
    def parameter(self) -> str:
        return self.proto.query_param_key

    def hold(self, value: Any) -> None:
        """Take a value, as if the reader had chosen it."""
        held = WidgetState(id=self.proto.id)
        KINDS[self.kind][0](held, self.proto, value)
        self.state = held

    def hold_default(self) -> None:
        """Go back to what the widget starts with."""
        fresh = type(self.proto)()
        fresh.CopyFrom(self.proto)
        fresh.set_value = False
        self.hold(KINDS[self.kind][1](fresh))


def mount(element: Element, before: Widget | None) -> Widget:
    """The widget that this element of one of the kinds above is. It keeps what it held, unless it is told a new value.

    Other elements send nothing before something happens to them: buttons, components, folded panels.
    """
    kind = element.WhichOneof("type")
    proto = getattr(element, kind)
    widget = Widget(proto, kind, before.state if before else WidgetState(id=proto.id))
    if before is None or proto.set_value:
        widget.hold(KINDS[kind][1](proto))
    return widget
