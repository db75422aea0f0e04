#!/usr/bin/python3
"""Builds a container image without a container tool, a registry or a base image.

    tools/image.py PROGRAM OUTPUT.tar

PROGRAM is the self-contained program (tools/dist.sh). The image contains it, the parts of glibc with which it is
linked, time zones, CA certificates and two users, all from this machine's Debian packages, and no shell. `docker
load` and `podman load` accept the archive: it has both the layout of `docker save` and that of OCI. The same files
make the same archive.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

LIBRARIES = "/lib/x86_64-linux-gnu"
USER = 1000  # as in amazon/dynamodb-local, so that folders created for it are writable
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


class Layer:
    """A reproducible tar archive in memory: times and owners are fixed, and folders come before their contents."""

    def __init__(self):
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w", format=tarfile.PAX_FORMAT)
        self.folders = set()

    def add(self, path, kind, mode, data=b"", link="", owner=0):
        parent = os.path.dirname(path)
        if parent and parent not in self.folders:
            self.folder(parent)
        entry = tarfile.TarInfo(path)
        entry.type, entry.mode, entry.mtime, entry.linkname = kind, mode, EPOCH, link
        entry.uid = entry.gid = owner
        entry.size = len(data)
        self.tar.addfile(entry, io.BytesIO(data))

    def folder(self, path, mode=0o755, owner=0):
        if path not in self.folders:
            self.add(path, tarfile.DIRTYPE, mode, owner=owner)
            self.folders.add(path)

    def file(self, path, data, mode=0o644):
        self.add(path, tarfile.REGTYPE, mode, data)

    def symlink(self, path, target):
        self.add(path, tarfile.SYMTYPE, 0o777, link=target)

    def close(self):
        self.tar.close()
        return self.buffer.getvalue()


def libraries_of(program):
    """The glibc libraries that the program names, and those that glibc loads by itself."""
    listed = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"NEEDED\s+(\S+)", listed)
    glibc = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0"}
    if not set(needed) <= glibc:
        sys.exit(f"tools/image.py: {program} is linked with {' '.join(sorted(set(needed) - glibc))}: use what tools/dist.sh builds")
    return sorted((set(needed) | {"libc.so.6", "libm.so.6"}) - {"ld-linux-x86-64.so.2"})


def add_tree(layer, folder, leave_out):
    """The files and links of a folder of this machine, at the same path."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path)[1:]
        if path.relative_to(folder).parts[0] in leave_out:
            continue
        if path.is_symlink():
            layer.symlink(name, os.readlink(path))
        elif path.is_file():
            layer.file(name, path.read_bytes())


def root_layer(program):
    layer = Layer()
    layer.file("usr/bin/trestle", pathlib.Path(program).read_bytes(), 0o755)
    for name in libraries_of(program):
        layer.file(f"{LIBRARIES[1:]}/{name}", pathlib.Path(LIBRARIES, name).read_bytes(), 0o755)
    layer.file("lib64/ld-linux-x86-64.so.2", pathlib.Path("/lib64/ld-linux-x86-64.so.2").read_bytes(), 0o755)
    layer.file("etc/passwd", f"root:x:0:0:root:/:/sbin/nologin\ntrestle:x:{USER}:{USER}:Trestle:/data:/sbin/nologin\n".encode())
    layer.file("etc/group", f"root:x:0:\ntrestle:x:{USER}:\n".encode())
    layer.file("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")
    layer.file("etc/ssl/certs/ca-certificates.crt", pathlib.Path("/etc/ssl/certs/ca-certificates.crt").read_bytes())
    add_tree(layer, "/usr/share/zoneinfo", {"posix", "right", "localtime"})
    layer.file("usr/share/doc/trestle/copyright", pathlib.Path("packaging/copyright").read_bytes())
    for package in ("libc6", "tzdata", "ca-certificates"):
        layer.file(f"usr/share/doc/{package}/copyright", pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes())
    layer.folder("data", 0o750, USER)
    # Compose files for amazon/dynamodb-local mount a volume here: -dbPath ./data in that folder.
    layer.folder("home/dynamodblocal", 0o755, USER)
    layer.folder("home/dynamodblocal/data", 0o750, USER)
    layer.folder("tmp", 0o1777)
    return layer.close()


def configuration(version, layer):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    return {
        "architecture": "amd64",
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"8000/tcp": {}},
            "Env": ["PATH=/usr/bin", "TRESTLE_SERVE_OPEN=true", "TRESTLE_SERVE_DATA=/data"],
            "Entrypoint": ["/usr/bin/trestle"],
            "Cmd": ["serve"],
            "Volumes": {"/data": {}},
            "WorkingDir": "/data",
            "StopSignal": "SIGTERM",
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/trestle", "health"],
                "Interval": 10 * 10**9,
                "Timeout": 5 * 10**9,
                "StartPeriod": 10 * 10**9,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "Trestle",
                "org.opencontainers.image.description": "DynamoDB's API on one machine",
                "org.opencontainers.image.version": version,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": created, "created_by": "tools/image.py"}],
    }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    program, output = map(os.path.abspath, sys.argv[1:])
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    archive = Layer()

    def blob(data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        archive.file(f"blobs/sha256/{digest}", data)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

    layer = root_layer(program)
    config = json.dumps(configuration(version, layer), sort_keys=True).encode()
    config_blob = blob(config, "application/vnd.oci.image.config.v1+json")
    layer_blob = blob(gzip.compress(layer, 9, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config_blob,
        "layers": [layer_blob],
    }).encode()
    manifest_blob = blob(manifest, "application/vnd.oci.image.manifest.v1+json")
    tags = [f"trestle:{version}", "trestle:latest"]
    archive.file("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
    archive.file("index.json", json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{**manifest_blob, "platform": {"architecture": "amd64", "os": "linux"},
                       "annotations": {"org.opencontainers.image.ref.name": version,
                                       "io.containerd.image.name": f"docker.io/library/{tag}"}} for tag in tags],
    }).encode())

    def path_of(description):
        return "blobs/sha256/" + description["digest"].removeprefix("sha256:")

    archive.file("manifest.json", json.dumps(
        [{"Config": path_of(config_blob), "RepoTags": tags, "Layers": [path_of(layer_blob)]}]).encode())
    pathlib.Path(output).write_bytes(archive.close())
    print(f"{os.path.basename(output)}: {len(layer) / 2**20:.1f} MB unpacked, {os.path.getsize(output) / 2**20:.1f} MB as a file; "
          f"loads as {' and '.join(tags)}")
    print(output)


main()
