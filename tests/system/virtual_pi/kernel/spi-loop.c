// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI bus 0 with its data lines joined: what is sent is what is read. Two devices of it are left
 * to user space, as /dev/spidev0.0 and /dev/spidev0.1.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>
#include <linux/string.h>

static struct platform_device *loop_device;

static int loop_transfer(struct spi_controller *controller, struct spi_device *spi,
			 struct spi_transfer *transfer)
{
	if (transfer->rx_buf && transfer->tx_buf)
		memcpy(transfer->rx_buf, transfer->tx_buf, transfer->len);
	else if (transfer->rx_buf)
		memset(transfer->rx_buf, 0, transfer->len);
	return 0;
}

static int loop_probe(struct platform_device *pdev)
{
	struct spi_controller *controller = devm_spi_alloc_host(&pdev->dev, 0);
	int error, select;

	if (!controller)
		return -ENOMEM;
	controller->bus_num = 0;
	controller->num_chipselect = 2;
	controller->mode_bits = SPI_CPOL | SPI_CPHA | SPI_LSB_FIRST | SPI_CS_HIGH;
	controller->bits_per_word_mask = SPI_BPW_RANGE_MASK(1, 32);
	controller->transfer_one = loop_transfer;
	error = devm_spi_register_controller(&pdev->dev, controller);
	for (select = 0; !error && select < 2; select++) {
		struct spi_board_info info = {
			/* One of the names that the spidev driver answers to; "spidev" is none. */
			.modalias = "dh2228fv",
			.chip_select = select,
			.max_speed_hz = 125000000,
		};

		if (!spi_new_device(controller, &info))
			error = -ENODEV;
	}
	return error;
}

static struct platform_driver loop_driver = {
	.driver = { .name = "spi-loop" },
	.probe = loop_probe,
};

static int __init loop_init(void)
{
	int error = platform_driver_register(&loop_driver);

	if (error)
		return error;
	loop_device = platform_device_register_simple("spi-loop", -1, NULL, 0);
	if (IS_ERR(loop_device)) {
		platform_driver_unregister(&loop_driver);
		return PTR_ERR(loop_device);
	}
	return 0;
}
module_init(loop_init);

static void __exit loop_exit(void)
{
	platform_device_unregister(loop_device);
	platform_driver_unregister(&loop_driver);
}
module_exit(loop_exit);

MODULE_DESCRIPTION("An SPI bus that hears itself");
MODULE_LICENSE("GPL");
