# Reads the rows, takes the words before the one to complete as arguments, and prints what may come next, with its summary.
# The values of options are not part of the name of the command.
BEGIN { FS = "\t"; for (i = 1; i < ARGC; i++) { typed[i] = ARGV[i]; ARGV[i] = "" } }
{ after[NR] = $1; next_words[NR] = $2 FS $3; known[$1 == "" ? $2 : $1 " " $2] }
$4 != "" { takes[$2] = $4 }
END {
  for (i = 1; i < ARGC; i++) {
    if (before in takes) { before = ""; continue }
    before = typed[i]
    longer = place == "" ? before : place " " before
    if (longer in known && before != "help") place = longer
  }
  if (!(before in takes)) {
    for (i = 1; i <= NR; i++) if (after[i] == place || after[i] == "*") print next_words[i]
  } else if (takes[before] != "-") {
    count = split(takes[before], values, " ")
    for (i = 1; i <= count; i++) print values[i]
  }
}
