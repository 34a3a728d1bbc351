# Every job's script sources this first. Started by somebody, the script goes to jobs.py, which installs what the job
# needs, starts the script again, ends what it leaves running, and says what came of it.
[ -n "${SHUTTHEBOX_JOB-}" ] || exec python3 "$(dirname "$0")/jobs.py" job "$0" "$@"
set -euo pipefail
