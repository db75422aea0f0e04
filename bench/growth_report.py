"""The table, the bounds, the CSV file and the picture of growth.py, from its rows, one for each size, in order."""

import csv
import os

import plot

ITEM_BYTES, SMALL, CONNECTIONS = 200, 1000, 64
CACHE_MB, PROGRAM_MB = 256, 150  # of memory: docs/operating.md
START_TIMES_MAX, START_SLACK_MS, LOG_MS_A_MB = 1.5, 250, 10  # the log's size bounds the time to replay it
MEMORY_TIMES_MAX, MEMORY_SLACK_MB = 1.1, 30
PER_ITEM_TIMES_MAX, COMPARABLE_SECONDS_MIN = 1.5, 1
FREED_TIMES_MAX = 1.1
DISK_TIMES_DATA_MAX, LOG_MB_MAX = 1.5, 300
RATE_MIN = 0.7  # of the rate at 1 thousand items, if the machine has the data in memory


def per_item_bound(bench, rows, name):
    """Compared with the smallest table for which the step took long enough."""
    last, column = rows[-1], f"{name}_seconds"
    base = next((row for row in rows if row[column] >= COMPARABLE_SECONDS_MIN), last)
    ratio = last[column] / last["items"] / (base[column] / base["items"])
    bench.bound(f"seconds an item of {name}, at {last['items']:,} items / at {base['items']:,}", ratio, "x", at_most=PER_ITEM_TIMES_MAX,
                note=f"{last[column]:,.1f} s, {last['items'] / last[column]:,.0f} items/s"
                     + ("; fewer items took too little time to compare" if base is last else ""))


def bounds(bench, rows):
    base, last = rows[1], rows[-1]
    for name, text in (("start", "start to first reply, cold"), ("start_after_load", "the same after the load"),
                       ("start_after_kill", "the same after SIGKILL")):
        logs = [row[f"{name}_log_mb"] for row in (base, last)]
        slack = START_SLACK_MS + LOG_MS_A_MB * max(0, logs[1] - logs[0])
        bench.bound(f"{text}, at {last['items']:,} items", last[f"{name}_ms"], "ms",
                    at_most=round(base[f"{name}_ms"] * START_TIMES_MAX + slack),
                    note=f"{START_TIMES_MAX} times the {base[f'{name}_ms']:.0f} ms at {base['items']:,}, and {slack:.0f} ms; "
                         f"logs of {logs[1]:.0f} and {logs[0]:.0f} MB")
    bench.bound(f"log, at {last['items']:,} items", last["log_mb"], "MB", at_most=LOG_MB_MAX)
    # The part of the cache that the smaller table cannot fill does not count as growth.
    unfilled = max(0, CACHE_MB - base["data_mb"])
    for column, text in (("memory_after_start_mb", "memory after a start"), ("memory_after_reads_mb", "memory after reads")):
        slack = MEMORY_SLACK_MB + (unfilled if column != "memory_after_start_mb" else 0)
        bench.bound(f"{text}, at {last['items']:,} items", last[column], "MB", at_most=round(base[column] * MEMORY_TIMES_MAX + slack),
                    note=f"{MEMORY_TIMES_MAX} times the {base[column]:.0f} MB at {base['items']:,}, and {slack:.0f} MB")
    most_ever = max(last[name] for name in last if name.startswith("memory_most"))
    bench.bound(f"most memory ever, at {last['items']:,} items", most_ever, "MB", at_most=CACHE_MB + PROGRAM_MB)
    bench.bound(f"disk without the log / data, at {last['items']:,} items", last["disk_times_data"], "x",
                at_most=DISK_TIMES_DATA_MAX, note=f"{last['disk_mb']:,.0f} MB with the log")
    bench.bound(f"files after a backup and its deletion / before, at {last['items']:,} items", last["files_after_deletion_times"], "x",
                at_most=FREED_TIMES_MAX, note=f"{last['backup_deletion_seconds']:.1f} s after DeleteBackup")
    for name in ("load", "import", "recount", "backup", "export"):
        per_item_bound(bench, rows[1:], name)
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
    cached = [row for row in rows if row["disk_mb"] < memory_mb / 2][-1]
    for column, text in (("get", "GetItem"), ("query", "Query of 10 items")):
        bench.bound(f"{text}, at {cached['items']:,} items / at {SMALL:,}", cached[f"{column}_of_small"], "x", at_least=RATE_MIN,
                    note=f"{cached[f'{column}_per_second']:,.0f}/s; at {last['items']:,}: {last[f'{column}_of_small']:.2f}, "
                         f"{last[f'{column}_per_second']:,.0f}/s")


def print_table(rows):
    """A line for each figure; in brackets its change from the previous size, for ten times the items."""
    print(f"\n{'':<32}" + "".join(f"{row['items']:>22,}" for row in rows))
    for name in rows[-1]:
        cells = []
        for before, row in zip([None, *rows], rows):
            value = f"{row[name]:,.2f}" if row[name] < 100 else f"{row[name]:,.0f}"
            if before and before[name] > 0 and row[name] > 0 and name != "items":
                value += f" ({(row[name] / before[name]) ** decades_of(before, row):.2f})"
            cells.append(value)
        print(f"{name:<32}" + "".join(f"{cell:>22}" for cell in cells))


def decades_of(before, row):
    """The exponent that converts a ratio of two sizes to that of ten times the items."""
    return 1 / len(str(row["items"] // before["items"])[1:]) if row["items"] >= 10 * before["items"] else 1


def write(bench, rows):
    out = bench.options.out
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "growth.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[-1]))
        writer.writeheader()
        writer.writerows({name: f"{value:.6g}" if name != "items" else value for name, value in row.items()} for row in rows)
    (out / "growth.svg").write_text(picture(rows))


def picture(rows):
    def line(label, value_of):
        return label, [(row["items"], value_of(row)) for row in rows]

    def column(label, name):
        return line(label, lambda row: row[name])

    def per_second(label, name):
        return label, [(row["items"], row["items"] / row[name]) for row in rows if row["items"] > SMALL]

    groups = [
        ("Loaded items a second", [column("BatchWriteItem", "load_per_second"), column("ImportTable", "import_per_second")]),
        ("Reads a second", [column("GetItem", "get_per_second"), column("Query of 10", "query_per_second")]),
        (f"Reads, of their rate at {SMALL:,} items", [column("GetItem", "get_of_small"), column("Query of 10", "query_of_small")]),
        ("Start to first reply, cold, ms", [column("after SIGTERM", "start_ms"), column("after the load", "start_after_load_ms"),
                                           column("after SIGKILL", "start_after_kill_ms")]),
        ("Memory, MB", [column("after a start", "memory_after_start_mb"), column("after reads", "memory_after_reads_mb"),
                        column("most in jobs", "memory_most_in_jobs_mb")]),
        ("Disk without the log / data", [("", [(row["items"], row["disk_times_data"]) for row in rows if row["items"] > SMALL])]),
        ("Items a second of jobs", [per_second("backup", "backup_seconds"), per_second("export", "export_seconds"),
                                    per_second("recount", "recount_seconds")]),
        ("Write amplification", [column("", "write_amplification")]),
        ("Most disk at once, MB", [column("load", "disk_most_in_load_mb"), column("backup and export", "disk_most_in_jobs_mb"),
                                   column("items", "data_mb")]),
    ]
    return plot.draw("Trestle, as the data grows", f"items of {ITEM_BYTES} bytes, durable, {CACHE_MB} MB of cache, {CONNECTIONS} connections",
                     [plot.Panel(title, lines, log_x=True, x_range=(SMALL, max(SMALL * 10, rows[-1]["items"]))) for title, lines in groups])
