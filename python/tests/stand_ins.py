"""A host's own source files, run without the host: those that are asked for are read from a folder with its source, and
everything else that they import of it, or of packages that are not installed, is a stand-in.

A stand-in is a class that can be called, derived from, and asked for more names, and does nothing.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import types
import unittest


class _Kind(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __getitem__(cls, item):
        return cls

    def __iter__(cls):
        return iter(())


def _class(name):
    def new(cls, *arguments, **more):
        # As a decorator it leaves what it decorates as it is.
        if len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type)) and not more:
            return arguments[0]
        return object.__new__(cls)

    return _Kind(name, (), {"__new__": new, "__init__": lambda self, *a, **m: None, "__init_subclass__": lambda **m: None,
                            "__getattr__": lambda self, n: _class(n), "__class_getitem__": classmethod(lambda cls, item: cls),
                            "__call__": lambda self, *a, **m: a[0] if len(a) == 1 and callable(a[0]) else self})


class _Module(types.ModuleType):
    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _class(name)
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, package, folder, real):
        self.package, self.folder, self.real = package, folder, real

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top == self.package:
            if name in self.real:
                file = self.folder / (name.replace(".", "/") + ".py")
                package = self.folder / name.replace(".", "/")
                if package.is_dir():
                    file = package / "__init__.py"
                places = [str(package)] if package.is_dir() else None
                return importlib.util.spec_from_file_location(name, file, submodule_search_locations=places)
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if top in sys.stdlib_module_names or importlib.machinery.PathFinder.find_spec(top) is not None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def source_of(variable, package):
    """The folder that an environment variable names, which has the package's source; else the test is skipped."""
    folder = os.environ.get(variable)
    if not folder:
        raise unittest.SkipTest(f"{variable} names no folder with the source of {package}")
    if not pathlib.Path(folder, package).is_dir():
        raise unittest.SkipTest(f"{folder} has no source of {package}")
    return pathlib.Path(folder)


def read_host(package, folder, *real):
    """From now on these modules of the package are its own, and all others stand-ins."""
    sys.meta_path.insert(0, _Finder(package, folder, set(real)))


def function_of(folder, file, path, names):
    """One function of a file that cannot be imported by itself, `Class.method` or `function`, with these global names."""
    tree = ast.parse((folder / file).read_text(encoding="utf-8"))
    node = tree
    for part in path.split("."):
        node = next(one for one in node.body if isinstance(one, (ast.ClassDef, ast.FunctionDef)) and one.name == part)
    node.decorator_list = []
    module = ast.Module([ast.ImportFrom("__future__", [ast.alias("annotations")], 0), node], [])
    found = dict(names)
    exec(compile(ast.fix_missing_locations(module), str(folder / file), "exec"), found)
    return found[node.name]
