# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""python3 -m rdmaev: print events, as the library formats them."""
import argparse
import os
import signal
import sys
from typing import List, Optional

from . import Error, EventStream, Style, log, watch


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m rdmaev", description="Print the events of RDMA devices, one a line.")
    parser.add_argument("device", nargs="*", metavar="DEV[/PORT]",
                        help="only these, such as mlx5_0, 'mlx5_*' or mlx5_0/1")
    parser.add_argument("-l", "--log", action="store_true",
                        help="those that are still kept, not those to come")
    parser.add_argument("-j", "--json", action="store_true", help="a JSON object a line")
    parser.add_argument("-e", "--event", action="append", metavar="NAME",
                        help="only these, such as PORT_ERR or 'PORT_*'")
    parser.add_argument("--kind", action="append", help="only these")
    parser.add_argument("--severity", action="append", help="only these")
    parser.add_argument("--since", type=int, metavar="SEQ",
                        help="from this sequence number on; 0: the oldest that is kept")
    parser.add_argument("--netlink", action="store_true", help="use generic netlink")
    return parser.parse_args(argv)


def _open(args: argparse.Namespace) -> EventStream:
    chosen = {"devices": args.device or None, "severity": args.severity, "kinds": args.kind,
              "events": args.event, "netlink": args.netlink}
    return log(since=args.since or 0, **chosen) if args.log else watch(since=args.since, **chosen)


def main(argv: Optional[List[str]] = None) -> int:
    """The exit status: 0, or 2 after a message."""
    args = _arguments(argv)
    try:
        with _open(args) as events:
            for event in events:
                print(event.format(Style.JSON if args.json else Style.HUMAN), flush=True)
    except BrokenPipeError:
        # So that the interpreter does not complain when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (Error, ValueError) as error:
        text = error.strerror if isinstance(error, Error) else error
        print(f"rdmaev: {text}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    # Ended by Ctrl-C as other programs are
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
