"""A server's use of memory, descriptors, threads and disk during other work, sampled by a thread."""

import os
import shutil
import threading
import time

from servers import bytes_on_disk


class Watch:
    """Samples a server during a `with` block: `samples` is a list of dictionaries, `most` the maximum of each figure.

    `more` is called for each sample and returns figures to add to it. With `free_mb_min` the server is killed when
    the file system of its folder has less free space than that, so that a badly planned run does not fill the disk.
    The call in progress then fails, and `stopped` contains the reason.
    """

    def __init__(self, server, every_seconds=1.0, more=None, free_mb_min=0):
        self.server, self.every, self.more, self.free_mb_min = server, every_seconds, more, free_mb_min
        self.samples, self.most, self.stopped, self.failure = [], {}, "", None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def sample(self):
        files, sockets = self.server.descriptors()
        return {
            "seconds": time.monotonic() - self.began,
            "memory_mb": self.server.memory_mb(),
            "files": files,
            "sockets": sockets,
            "threads": len(os.listdir(f"/proc/{self.server.process.pid}/task")),
            "disk_mb": bytes_on_disk(self.server.folder) / 1e6,
            **(self.more() if self.more else {}),
        }

    def run(self):
        while not self.ended.is_set():
            try:
                sample = self.sample()
                self.samples.append(sample)
                self.most = {name: max(value, self.most.get(name, value)) for name, value in sample.items()}
            except (OSError, RuntimeError):
                pass  # it is being restarted
            except BaseException as failure:
                self.failure = failure
                return
            free_mb = shutil.disk_usage(self.server.folder).free / 1e6
            if free_mb < self.free_mb_min:
                self.stopped = f"only {free_mb:.0f} MB of disk are free: the server is killed"
                print(f"== {self.stopped}", flush=True)
                self.server.process.kill()
                return
            self.ended.wait(self.every)

    def __enter__(self):
        self.began = time.monotonic()
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ended.set()
        self.thread.join()
        if kind is None and self.failure is not None:
            raise self.failure
