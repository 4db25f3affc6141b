"""Which compiled functions Python calls: read from the source, which is not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

COMPILING = frozenset({"jit", "jit_fast", "jit_inline", "jit_rows", "njit", "overload", "register_jitable"})
"""Decorators after which a function is machine code, by the end of their name; those of `typing` do nothing."""


@dataclass(frozen=True)
class Compiled:
    """All compiled functions, as ``module:name``, and who names them in code that is not compiled.

    Whoever names one may call it, at once or by handing it on, so that every name counts.
    """

    functions: frozenset[str]
    entry_points: Mapping[str, frozenset[str]]


@dataclass
class _Module:
    name: str
    tree: ast.Module
    compiled: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    """What each name stands for, from the package on."""


def read_package(folder: Path) -> dict[str, str]:
    """Source of each module below the folder of a package, by its dotted name."""
    sources = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (folder.name, *path.relative_to(folder).with_suffix("").parts)
        sources[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return sources


def scan(sources: Mapping[str, str]) -> Compiled:
    """Find the compiled functions of some modules, and which of them Python names."""
    modules = {name: _read(name, source) for name, source in sources.items()}
    entry_points: dict[str, set[str]] = {}
    for module in modules.values():
        for where, dotted in _names_in_python(module):
            target = _compiled(dotted, module, modules)
            if target is not None:
                entry_points.setdefault(target, set()).add(f"{module.name}:{where}")
    functions = {f"{module.name}:{name}" for module in modules.values() for name in module.compiled}
    return Compiled(frozenset(functions), {name: frozenset(users) for name, users in entry_points.items()})


def _read(name: str, source: str) -> _Module:
    module = _Module(name, ast.parse(source))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                module.names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import; write the full name, so that it can be followed"
            for alias in node.names:
                module.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef) and _is_compiled(node, module):
            module.compiled.add(node.name)
    for statement in module.tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            module.names[statement.name] = f"{name}.{statement.name}"
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            _read_assignment(statement.targets[0].id, statement.value, module)
    return module


def _read_assignment(name: str, value: ast.expr, module: _Module) -> None:
    """``fast = jit(slow)`` compiles, and ``other = fast`` is another name for it."""
    if isinstance(value, ast.Call) and _compiles(value.func, module):
        module.compiled.add(name)
        module.names[name] = f"{module.name}.{name}"
        return
    dotted = _dotted(value)
    if dotted is not None:
        module.names[name] = _full(dotted, module) or dotted


def _is_compiled(function: ast.FunctionDef, module: _Module) -> bool:
    return any(
        _compiles(decorator.func if isinstance(decorator, ast.Call) else decorator, module)
        for decorator in function.decorator_list
    )


def _compiles(decorator: ast.expr, module: _Module) -> bool:
    dotted = _dotted(decorator)
    full = None if dotted is None else _full(dotted, module) or dotted
    return full is not None and full.rsplit(".", 1)[-1] in COMPILING and not full.startswith("typing.")


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None


def _full(dotted: str, module: _Module) -> str | None:
    """A name of a module from the package on; None if it is a local or built-in one."""
    first, _, rest = dotted.partition(".")
    full = module.names.get(first)
    return None if full is None else f"{full}.{rest}" if rest else full


def _names_in_python(module: _Module) -> Iterator[tuple[str, str]]:
    """Every dotted name that is read outside of compiled functions, and in which function or class."""

    def walk(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if isinstance(node, ast.FunctionDef) and _is_compiled(node, module):
                return
            where = f"{where}.{node.name}" if where else node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            dotted = _dotted(node)
            if dotted is not None:
                yield where, dotted
                return
        for child in ast.iter_child_nodes(node):
            yield from walk(child, where)

    yield from walk(module.tree, "")
    # A package that exports a function of another module hands it to its users.
    for statement in module.tree.body:
        if isinstance(statement, ast.Assign) and _dotted(statement.targets[0]) == "__all__":
            for name in ast.literal_eval(statement.value):
                if module.names.get(name, module.name).rpartition(".")[0] != module.name:
                    yield "__all__", name


def _compiled(dotted: str, module: _Module, modules: Mapping[str, _Module]) -> str | None:
    """``module:function`` if a name stands for a compiled function, through whatever exports it again."""
    full = _full(dotted, module)
    seen = set()
    while full is not None and full not in seen:
        seen.add(full)
        owner = _owner(full, modules)
        if owner is None:
            return None
        name = full[len(owner) + 1 :]
        if name in modules[owner].compiled:
            return f"{owner}:{name}"
        full = _full(name, modules[owner])
    return None


def _owner(full: str, modules: Mapping[str, _Module]) -> str | None:
    """The longest name of a module that a full name begins with."""
    parts = full.split(".")
    return next((".".join(parts[:n]) for n in range(len(parts) - 1, 0, -1) if ".".join(parts[:n]) in modules), None)
