#!/usr/bin/python3
"""Runs a container image according to its configuration, without a container tool: user, folder, environment, entry
point and command.

    tests/run_image.py IMAGE.tar FOLDER [ARGUMENT...]

IMAGE.tar is the output of tools/image.py. Its files are unpacked into FOLDER unless that exists, so that a second run
finds the data of the first. Arguments replace the image's command, like those of `docker run`; NAME=VALUE before them
sets an environment variable. The network is this machine's. Without root, a user namespace replaces the image's user.
"""

import io
import json
import os
import re
import sys
import tarfile


def contents(image):
    """The configuration and the files of the image."""
    with tarfile.open(image) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))[0]
        config = json.load(archive.extractfile(manifest["Config"]))
        layers = [archive.extractfile(name).read() for name in manifest["Layers"]]
    return config["config"], layers


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    if os.getuid() != 0:
        os.execvp("unshare", ["unshare", "--map-root-user", sys.executable, *sys.argv])
    image, folder, *arguments = sys.argv[1:]
    config, layers = contents(image)
    user, group = map(int, config["User"].split(":"))
    with open("/proc/self/uid_map") as file:
        is_real_root = int(file.read().split()[2]) > user
    if not os.path.exists(folder):
        for layer in layers:
            with tarfile.open(fileobj=io.BytesIO(layer)) as files:
                files.extractall(folder, numeric_owner=is_real_root)
    environment = dict(pair.split("=", 1) for pair in config["Env"])
    while arguments and re.fullmatch(r"[A-Z_]+=.*", arguments[0]):
        environment.update([arguments.pop(0).split("=", 1)])
    command = config["Entrypoint"] + (arguments or config["Cmd"])
    os.chroot(folder)
    os.chdir(config["WorkingDir"])
    if is_real_root:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    os.execve(command[0], command, environment)


main()
