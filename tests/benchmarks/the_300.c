/* The least expected score of the-300, exact up to rounding: backward induction over all 16,777,216 sets of open
 * tiles. Takes 128 MB and half a minute:
 *
 *     cc -O3 -o build/the_300 tests/benchmarks/the_300.c && build/the_300
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILES = 24, LEAST = 4, MOST = 24 };

static uint32_t moves[1000];
static int first_move[MOST + 2], count;

/* All sets of different numbers up to `highest` that add up to `rest`, with `taken`. */
static void list_moves(int highest, int rest, uint32_t taken)
{
    if (rest == 0) {
        moves[count++] = taken;
        return;
    }
    for (int number = highest < rest ? highest : rest; number > 0; number--)
        list_moves(number - 1, rest - number, taken | UINT32_C(1) << (number - 1));
}

int main(void)
{
    double chance[MOST + 1] = {0};
    for (int throw = 0; throw < 6 * 6 * 6 * 6; throw++)
        chance[4 + throw % 6 + throw / 6 % 6 + throw / 36 % 6 + throw / 216] += 1.0 / 1296;
    for (int total = LEAST; total <= MOST; total++) {
        first_move[total] = count;
        list_moves(TILES, total, 0);
    }
    first_move[MOST + 1] = count;

    double *score = malloc(sizeof *score << TILES);
    if (score == NULL) {
        fputs("the_300: 128 MB of memory are needed\n", stderr);
        return 1;
    }
    score[0] = 0;
    for (uint32_t open = 1; open < UINT32_C(1) << TILES; open++) {
        int sum = 0;
        for (int number = 1; number <= TILES; number++)
            sum += open >> (number - 1) & 1 ? number : 0;
        double expected = 0;
        for (int total = LEAST; total <= MOST; total++) {
            double best = sum; /* blocked; every answer leaves less */
            for (int i = first_move[total]; i < first_move[total + 1]; i++)
                if (!(moves[i] & ~open) && score[open ^ moves[i]] < best)
                    best = score[open ^ moves[i]];
            expected += chance[total] * best;
        }
        score[open] = expected;
    }
    printf("%.9f\n", score[(UINT32_C(1) << TILES) - 1]);
    free(score);
    return 0;
}
