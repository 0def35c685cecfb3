# Leaves in the session's state what the next phases need to know.
echo "1. write greet.sh" > plan.md
printf '{"file": "greet.sh"}\n' > "$WAYMARK_STATE"
echo "planned for step $WAYMARK_STEP"
