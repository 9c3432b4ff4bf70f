#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev report: the page has what the log has, links that lead somewhere, and no text
# of others as HTML; where it is written. selftests/report/check looks at pages in a
# browser.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
page=$tmp/page.html

# dangling: links of the page that lead nowhere
dangling()
{
	comm -23 <(grep -oE 'href="#[^"]*"' "$page" | sed 's/.*#//; s/"//' | sort -u) \
		<(grep -oE ' id="[^"]*"' "$page" | sed 's/.*="//; s/"//' | sort -u)
}
rows() { grep -c '^<tr id="r' "$page"; }
# seqs: those of the rows
seqs() { sed -n 's/^<tr id="r\([0-9]*\)".*/\1/p' "$page"; }
# marks SEVERITY: records with a mark on the line of a port
marks()
{
	awk -v c="$1" '/^<g class="port"/ { on = 1 } /^<g class="owner"/ { on = 0 }
		/^<g class="marks/ { good = on && index($0, "marks " c "\"") } /^<\/g>/ { good = 0 }
		good && /^<a href/ { n += match($0, /data-more="[^"]*"/) ? 1 + split(substr($0, RSTART + 11, RLENGTH - 12), more, " ") : 1 }
		END { print n + 0 }' "$page"
}
# logged FILTER OPTION...: records that the log has
logged() { rdmaev log -j "${@:2}" 2>/dev/null | jq -r "select($1) | .seq"; }
count() { grep -c . || :; }

rdmaev report -o "$page" 2>"$tmp/err"
is "an empty log: a page" "$? $(grep -c '</html>' "$page") $(<"$tmp/err")" "0 1 "

still_add rp0
still_add rp1
still_down rp0
echo 4 >$sim/rp0/1/state
echo "queue rp0 9 1 1" >$gen/run
within 30 rdmaev wait -q rp0 PORT_ACTIVE --since start -t 1
for code in 11 12 18 8; do
	echo "process rp1 $code 1 1" >$gen/run
done
within 30 rdmaev wait -q rp1 DEVICE_FATAL --since start -t 1
echo "rp0 - 1 3 1 </title><script>alert('x')</script> & \"quotes\"" >$gen/note

### The page

ok "it is written" rdmaev report -o "$page"
is "a row for each record" "$(seqs)" "$(logged true)"
is "each link leads somewhere" "$(dangling)" ""
ok "... and there are some" test "$(grep -c 'href="#' "$page")" -gt 10
is "no name twice" "$(grep -oE ' id="[^"]*"' "$page" | sort | uniq -d)" ""
is "a mark for each error" "$(marks e)" "$(logged '.severity == "error"' | count)"
ok "... some" test "$(marks e)" -gt 1
is "a mark for each warning" "$(marks w)" "$(logged '.severity == "warning"' | count)"
is "an outage" "$(grep -c '^<g class="outage' "$page")" 1
like "a port that was down" "$(<"$page")" '<title>DOWN for [0-9.a-z]+, #[0-9]+</title>'
is "an article for each incident" "$(grep -c '^<article' "$page")" "$(rdmaev why -n 100 | wc -l)"
is "one script" "$(grep -ci '<script' "$page") $(grep -c '^<script>' "$page")" "1 1"
sed -n '/^<script>/,/^<\/script>/p' "$page" | sed -e 's/^<script>//' -e '/^<\/script>/d' >"$tmp/script"
hash=$(env printf "$(sha256sum <"$tmp/script" | cut -c -64 | sed 's/../\\x&/g')" | base64)
is "... which is the only one that may run" "$(grep -oF "script-src 'sha256-$hash';" "$page")" \
	"script-src 'sha256-$hash';"
is "nothing to be fetched" "$(grep -cE '(src|action)=|https?:|url\([^#]' "$page")" 0
like "a policy that allows nothing else" "$(<"$page")" "Content-Security-Policy\" content=\"default-src 'none'"
like "text of a ULP is text" "$(<"$page")" \
	'&lt;/title&gt;&lt;script&gt;alert\(&#39;x&#39;\)&lt;/script&gt; &amp; &quot;quotes&quot;'
# Rows as they are for people: where the axis begins is up to the time of the report.
table_of() { sed -n '/<table>/,$p' | sed 's/ data-t="[0-9.]*"//'; }
is "by netlink the same" "$(rdmaev --netlink report --since start | table_of)" "$(table_of <"$page")"

### A part of the log

rdmaev report rp0 >"$page"
is "a device" "$(seqs)" "$(logged true rp0)"
like "... its port" "$(<"$page")" '>rp0/1</text>'
is "... and no other" "$(grep -c 'rp1/1</text>' "$page")" 0
is "... each link leads somewhere" "$(dangling)" ""
rdmaev report -e 'PORT_*' --severity '!info' >"$page"
is "options that select" "$(seqs)" "$(logged true -e 'PORT_*' --severity '!info')"
is "... each link leads somewhere" "$(dangling)" ""
first=$(logged true -n 3 | head -n 1)
rdmaev report --since "#$first" >"$page"
is "--since" "$(seqs)" "$(logged true --since "#$first")"
rdmaev report --until "#$first" >"$page"
is "--until" "$(seqs)" "$(logged true --until "#$first")"
rdmaev report --since 'boot' --until '-1s' >"$page"
is "... times" "$? $(dangling)" "0 "
rdmaev report -n 3 >"$page"
is "-n" "$(seqs)" "$(logged true -n 3)"
like "... says what is left out" "$(<"$page")" '>[0-9]+ older records are not on this page: rdmaev report -n shows more\.'
like "--utc" "$(rdmaev report --utc)" '<td>[0-9:.]+Z<td>'
like "--mono" "$(rdmaev report --mono)" '<td>[0-9]+\.[0-9]{6}<td>'

### Where it is written

umask 027
rdmaev report -o "$tmp/a.html"
is "a file, as the umask says" "$(stat -c %a "$tmp/a.html")" 640
is "... and nothing beside it" "$(find "$tmp" -name 'a.html*')" "$tmp/a.html"
ln -s a.html "$tmp/link.html"
: >"$tmp/a.html"
rdmaev report -o "$tmp/link.html"
is "a link stays" "$(readlink "$tmp/link.html") $(grep -c '</html>' "$tmp/a.html")" "a.html 1"
rdmaev report -o /dev/null
ok "a device stays" test -c /dev/null
is "-o -: standard output" "$(rdmaev report -o - | grep -c '</html>')" 1
is "a reader that has enough" "$(rdmaev report | head -n 1; echo "${PIPESTATUS[0]}")" "<!DOCTYPE html>
0"
fails "a folder" 2 "-o $tmp: cannot write: Is a directory" report -o "$tmp"
fails "no folder" 2 "-o $tmp/none/x.html: cannot write: No such file or directory \(make the directory first\)" \
	report -o "$tmp/none/x.html"
mkdir "$tmp/full"
mount -t tmpfs -o size=8k tmpfs "$tmp/full"
echo before >"$tmp/full/x.html"
fails "a full disk" 2 "-o $tmp/full/x.html: cannot write: No space left on device" report -o "$tmp/full/x.html"
is "... the file is as it was" "$(ls "$tmp/full") $(<"$tmp/full/x.html")" "x.html before"
umount "$tmp/full"
fails "no name" 2 "-o : must be the name of a file" report -o ""
fails "JSON" 2 "report writes HTML; .*" report -j
fails "no such device" 2 "rpx: no such device, now or before.*" report rpx
fails "no such event" 2 "the options exclude every event: .*" report -e PORT_ERR --kind device
fails "no time" 2 "--since soon: must be .*" report --since soon
is "a terminal wants a file" "$(script -qec "rdmaev report" /dev/null | tr -d '\r')" \
	"rdmaev: the page is HTML, and standard output a terminal; write it to a file: rdmaev report -o report.html"

### Ten thousand records, and more than the log keeps

# Numbers that nobody knows are not folded
echo "cpus=process rp1 1000 1 9000" >$gen/run
is_full() { [ "$(rdmaev log -q | wc -l)" -ge 8000 ]; }
within 30 is_full
rdmaev report -n 8000 -o "$page"
is "eight thousand records" "$(rows)" 8000
ok "... ten thousand would be less than 5 MB: $(stat -c %s "$page")" test "$(stat -c %s "$page")" -lt 4000000
is "... each link leads somewhere" "$(dangling)" ""
is "... all errors have marks" "$(marks e)" "$(logged '.severity == "error"' -n 8000 | count)"
rdmaev report -o "$page"
like "what was overwritten" "$(<"$page")" '>[0-9]+ records of the ring [a-z]+ before .* were overwritten\.|>[0-9]+ records before .* were overwritten\.'

still_del rp0
still_del rp1
plan
