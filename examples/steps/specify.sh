# What is wanted, as an agent would write it down.
echo "The program says hello." > spec.md
echo "specified in $(wc -l < spec.md | tr -d ' ') line"
