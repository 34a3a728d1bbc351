// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PWM chip of four channels without a wire; /sys/kernel/debug/pwm shows what each is set to.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>

static struct platform_device *sham_device;
static struct pwm_chip *sham_chip;

static int sham_apply(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state)
{
	return 0;
}

static const struct pwm_ops sham_ops = {
	.apply = sham_apply,
};

static int __init sham_init(void)
{
	int error;

	sham_device = platform_device_register_simple("pwm-sham", -1, NULL, 0);
	if (IS_ERR(sham_device))
		return PTR_ERR(sham_device);
	sham_chip = pwmchip_alloc(&sham_device->dev, 4, 0);
	if (IS_ERR(sham_chip)) {
		platform_device_unregister(sham_device);
		return PTR_ERR(sham_chip);
	}
	sham_chip->ops = &sham_ops;
	error = pwmchip_add(sham_chip);
	if (error) {
		pwmchip_put(sham_chip);
		platform_device_unregister(sham_device);
	}
	return error;
}
module_init(sham_init);

static void __exit sham_exit(void)
{
	pwmchip_remove(sham_chip);
	pwmchip_put(sham_chip);
	platform_device_unregister(sham_device);
}
module_exit(sham_exit);

MODULE_DESCRIPTION("A PWM chip without a wire");
MODULE_LICENSE("GPL");
