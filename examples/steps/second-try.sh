# WAYMARK_ATTEMPT says which attempt it is.
echo "attempt $WAYMARK_ATTEMPT"
if [ "$WAYMARK_ATTEMPT" = 1 ]; then
  echo "half done" > mess.txt
else
  echo "done" > result.txt
fi
