"""The wheel contains a program for one platform, and no extension module: it fits every Python 3."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class ProgramDistribution(Distribution):

    def has_ext_modules(self):
        return True             # else the files would be installed among those for every platform


class ProgramWheel(bdist_wheel):

    def get_tag(self):
        return "py3", "none", os.environ.get("WHEEL_PLATFORM", "linux_x86_64")


setup(distclass=ProgramDistribution, cmdclass={"bdist_wheel": ProgramWheel})
