#!/bin/sh
# Runs as the only service of a Debian that systemd has started (release/trial-debian.ts). Each line that it writes is compared.
say() { echo "$*" >>/try/said; }
state() { say "$1: $(systemctl is-active trivet) $(systemctl is-enabled trivet 2>/dev/null)"; }
status_of() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(systemctl show -p MainPID --value trivet)/status"; }

dpkg -i /try/trivet.deb >>/try/log 2>&1
state 'installed'
say "data before the first start: $(stat -c '%U %a' /var/lib/trivet)"
systemctl enable --now trivet >>/try/log 2>&1
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 1
  trivet healthcheck >/dev/null 2>&1 && break
done
state 'started'
say "healthcheck: $(trivet healthcheck 2>&1)"
say "user: $(ps -o user= -p "$(systemctl show -p MainPID --value trivet)")"
say "no new privileges, capabilities, seccomp: $(status_of NoNewPrivs) $(status_of CapBnd) $(status_of Seccomp)"
token=$(runuser -u trivet -- trivet token create --data /var/lib/trivet --email you@example.org --name try 2>>/try/log)
say "tool: $(TRIVET_TOKEN=$token trivet call get-orgs-list --url http://127.0.0.1:8787 | grep -o '"total":1')"
say "data: $(stat -c '%U %a' /var/lib/trivet) $(stat -c '%U %a' /var/lib/trivet/trivet.db)"
before=$(systemctl show -p MainPID --value trivet)
dpkg -i /try/trivet.deb >>/try/log 2>&1
sleep 2
state 'upgraded'
[ "$before" != "$(systemctl show -p MainPID --value trivet)" ] && say 'the new version runs'
cp /etc/trivet/trivet.toml /try/right.toml
echo 'no-such-setting = 1' >>/etc/trivet/trivet.toml
systemctl restart trivet >>/try/log 2>&1
sleep 6
say "a mistake: $(systemctl is-active trivet), restarted $(systemctl show -p NRestarts --value trivet) times"
cat /try/right.toml >/etc/trivet/trivet.toml
systemctl restart trivet >>/try/log 2>&1
echo '# mine' >>/etc/trivet/trivet.toml
dpkg -r trivet >>/try/log 2>&1
say "removed: $(systemctl is-active trivet), $(ls /usr/bin/trivet 2>/dev/null), $(tail -n 1 /etc/trivet/trivet.toml), $(ls /var/lib/trivet/trivet.db)"
dpkg -i /try/trivet.deb >>/try/log 2>&1
dpkg -P trivet >>/try/log 2>&1
say "purged: $(ls -d /etc/trivet 2>/dev/null), $(ls /var/lib/trivet/trivet.db), $(id -un trivet)"
journalctl -u trivet --no-pager >>/try/log 2>&1
say 'end'
systemctl poweroff --force
