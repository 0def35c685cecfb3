# Takes its time, so that there is something to interrupt.
file=$(sed -n 's/.*"file": *"\([^"]*\)".*/\1/p' "$WAYMARK_STATE")
for part in one two three; do
  echo "writing $file, part $part"
  sleep "${PAUSE:-0}"
done
echo 'echo hello' > "$file"
