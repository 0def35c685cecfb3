# Resolves a conflict by keeping both sides: the markers go.
sed -i.bak -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' notes.md
rm notes.md.bak
