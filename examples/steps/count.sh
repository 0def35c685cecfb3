# Numbers to keep with the checkpoint.
printf '{"lines": %d}\n' "$(wc -l < greet.sh)"
