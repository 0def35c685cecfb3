# One file of its own, and one line in the file that everybody has.
echo "$1" > "$1.txt"
echo "- $1" >> notes.md
