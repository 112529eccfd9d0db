# Recounts the figures of get-cta-metrics and get-cta-funnel from an export (ndjson on stdin), without any code of Trivet.
# Usage: trivet call export-cta-events -a format=ndjson | python3 recount.py [goals.json]
# goals.json is what list-cta-goals returns, or a list of such goals of several CTAs; filters of an event are not known here.
import collections
import json
import sys

HOUR, DAY = 3600000, 86400000
goals = json.load(open(sys.argv[1])) if len(sys.argv) > 1 else []
goals = goals["goals"] if isinstance(goals, dict) else goals
figures = collections.Counter()
users = collections.defaultdict(set)
ever = collections.defaultdict(set)
begun = {"impression": {}, "action": {}}
named = collections.defaultdict(list)
seen = set()
for line in sys.stdin:
    event = json.loads(line)
    if event["cursor"] in seen:
        continue
    seen.add(event["cursor"])
    cta, kind, user, at = event["ctaId"] or "", event["type"], event["userId"], event["at"]
    if event["name"] is not None:
        named[(kind, event["name"])].append((cta, user, at))
    if kind == "reached":
        ever[f"{cta} {event['name']}"].add(user)
        continue
    if kind in begun:
        begun[kind][(cta, user)] = min(at, begun[kind].get((cta, user), at))
    users[f"{cta} {kind}"].add(user)
    for by, start in (("hour", at // HOUR * HOUR), ("day", at // DAY * DAY), ("total", 0)):
        for part in ("none", "version", "variant", "source"):
            figures[f"{by} {part} {cta} {start} {event[part] if part != 'none' else None} {kind}"] += 1


def converted(goal):
    on, cta = goal["on"], goal["ctaId"]
    found = named[("reached", on["state"])] if "state" in on else named[("custom", on["event"])]
    reached = set()
    for of, user, at in found:
        first = begun["impression"].get((cta, user), begun["action"].get((cta, user)))
        is_of = of == cta or ("event" in on and of == "")
        if is_of and first is not None and first <= at <= first + goal["windowHours"] * HOUR:
            reached.add(user)
    return len(reached)


size = lambda groups: {key: len(group) for key, group in groups.items()}
conversions = {f"{goal['ctaId']} {goal['name']}": converted(goal) for goal in goals}
print(json.dumps({"figures": figures, "users": size(users), "ever": size(ever), "conversions": conversions}))
