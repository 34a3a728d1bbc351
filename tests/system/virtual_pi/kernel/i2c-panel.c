// SPDX-License-Identifier: GPL-2.0-only
/*
 * An I2C bus with one display on it that nobody looks at.
 *
 * Writes to the panel's address are accepted and queued, with their time and length, in a misc
 * device: /dev/i2c-panel. A reader gets whole records: a header (time in ns of CLOCK_MONOTONIC,
 * length) in host order, then that many bytes. All other addresses answer as an empty bus does.
 */
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/kfifo.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

static int bus = 1;
module_param(bus, int, 0444);
MODULE_PARM_DESC(bus, "number of the bus, as in /dev/i2c-1");
static ushort address = 0x3c;
module_param(address, ushort, 0644);
MODULE_PARM_DESC(address, "where the panel answers");
static bool absent;
module_param(absent, bool, 0644);
MODULE_PARM_DESC(absent, "the panel answers nothing (NACK), as if unplugged");
static uint fail_every;
module_param(fail_every, uint, 0644);
MODULE_PARM_DESC(fail_every, "every n-th message ends in EIO; 0: none");
static uint khz;
module_param(khz, uint, 0644);
MODULE_PARM_DESC(khz, "sleep as long as the wire would take at this clock; 0: take no time");

struct record {
	u64 time_ns;
	u32 length;
} __packed;

static DEFINE_MUTEX(lock);
static DEFINE_KFIFO(log_fifo, u8, (1 << 20));
static uint messages, dropped;
module_param(messages, uint, 0444);
module_param(dropped, uint, 0444);

static void keep(const struct i2c_msg *msg)
{
	struct record head = { .time_ns = ktime_get_ns(), .length = msg->len };

	if (kfifo_avail(&log_fifo) < sizeof(head) + msg->len) {
		dropped++;
		return;
	}
	kfifo_in(&log_fifo, (u8 *)&head, sizeof(head));
	kfifo_in(&log_fifo, msg->buf, msg->len);
}

static int panel_xfer(struct i2c_adapter *adapter, struct i2c_msg *msgs, int count)
{
	int i, result = count;

	mutex_lock(&lock);
	for (i = 0; i < count; i++) {
		if (absent || msgs[i].addr != address) {
			result = -ENXIO;
			break;
		}
		if (khz)	/* nine clocks a byte, the address among them */
			usleep_range((msgs[i].len + 1) * 9000 / khz,
				     (msgs[i].len + 1) * 9000 / khz + 50);
		messages++;
		if (fail_every && messages % fail_every == 0) {
			result = -EIO;
			break;
		}
		if (msgs[i].flags & I2C_M_RD)
			memset(msgs[i].buf, 0, msgs[i].len);
		else
			keep(&msgs[i]);
	}
	mutex_unlock(&lock);
	return result;
}

static u32 panel_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm panel_algorithm = {
	.master_xfer = panel_xfer,
	.functionality = panel_functionality,
};

static struct i2c_adapter panel_adapter = {
	.owner = THIS_MODULE,
	.name = "i2c-panel",
	.algo = &panel_algorithm,
};

static ssize_t panel_read(struct file *file, char __user *to, size_t size, loff_t *offset)
{
	unsigned int copied;
	int error;

	mutex_lock(&lock);
	error = kfifo_to_user(&log_fifo, to, size, &copied);
	mutex_unlock(&lock);
	return error ? error : copied;
}

static const struct file_operations panel_fops = {
	.owner = THIS_MODULE,
	.read = panel_read,
};

static struct miscdevice panel_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "i2c-panel",
	.fops = &panel_fops,
};

static int __init panel_init(void)
{
	int error = misc_register(&panel_device);

	if (error)
		return error;
	panel_adapter.nr = bus;
	error = i2c_add_numbered_adapter(&panel_adapter);
	if (error)
		misc_deregister(&panel_device);
	return error;
}
module_init(panel_init);

static void __exit panel_exit(void)
{
	i2c_del_adapter(&panel_adapter);
	misc_deregister(&panel_device);
}
module_exit(panel_exit);

MODULE_DESCRIPTION("An I2C bus with a display that logs what it is sent");
MODULE_LICENSE("GPL");
