// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's gpio-sim with one wire: what line FROM shows, line TO is pulled to at once.
 *
 * A coupling that polls would race with `output.state = 1; assert input.state`. This one is part
 * of the write. It is off until two lines are written to the parameter: "22,27" connects line 22
 * to line 27 of every chip that has both, "-1,-1" takes the wire away.
 *
 * gpio-sim.c is taken unchanged from the kernel's source; only the call that registers its chip
 * is diverted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gpio/driver.h>
#include <linux/module.h>

static int wire[2] = { -1, -1 };
module_param_array(wire, int, NULL, 0644);
MODULE_PARM_DESC(wire, "lines FROM,TO: TO is pulled to the level of FROM");

static int add_wired(struct device *dev, struct gpio_chip *gc, void *data);
#undef devm_gpiochip_add_data
#define devm_gpiochip_add_data add_wired
#include "gpio-sim.c"

static bool wired(struct gpio_chip *gc)
{
	return wire[0] >= 0 && wire[0] < gc->ngpio && wire[1] >= 0 && wire[1] < gc->ngpio;
}

static void carry(struct gpio_chip *gc)
{
	gpio_sim_apply_pull(gpiochip_get_data(gc), wire[1], gpio_sim_get(gc, wire[0]));
}

static void wired_set(struct gpio_chip *gc, unsigned int offset, int value)
{
	gpio_sim_set(gc, offset, value);
	if (wired(gc) && offset == wire[0])
		carry(gc);
}

static void wired_set_multiple(struct gpio_chip *gc, unsigned long *mask, unsigned long *bits)
{
	gpio_sim_set_multiple(gc, mask, bits);
	if (wired(gc) && test_bit(wire[0], mask))
		carry(gc);
}

static int wired_direction_output(struct gpio_chip *gc, unsigned int offset, int value)
{
	int error = gpio_sim_direction_output(gc, offset, value);

	if (!error && wired(gc) && offset == wire[0])
		carry(gc);
	return error;
}

static int wired_set_config(struct gpio_chip *gc, unsigned int offset, unsigned long config)
{
	int error = gpio_sim_set_config(gc, offset, config);

	if (error || !wired(gc))
		return error;
	/* A pull is weak: against an output at the other end it does nothing. */
	if (offset == wire[0] ||
	    (offset == wire[1] && gpio_sim_get_direction(gc, wire[0]) == GPIO_LINE_DIRECTION_OUT))
		carry(gc);
	return 0;
}

static int add_wired(struct device *dev, struct gpio_chip *gc, void *data)
{
	gc->set = wired_set;
	gc->set_multiple = wired_set_multiple;
	gc->direction_output = wired_direction_output;
	gc->set_config = wired_set_config;
	/* Its own list of lines in debugfs is none that a Pi's chips have: they leave it to the kernel. */
	gc->dbg_show = NULL;
	return devm_gpiochip_add_data_with_key(dev, gc, data, NULL, NULL);
}
