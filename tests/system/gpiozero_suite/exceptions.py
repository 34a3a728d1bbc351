"""Tests of gpiozero that fail on our pins, each with its reason. Anything else that fails is a fault."""

#: What the source of a test has in it that compares with the clock.
TIMED = "time"

#: Of the devices' tests.
DEVICES: dict[str, str] = {
    "test_output_pwm_not_supported": "the mock has pins without PWM; all of ours have it",
    "test_servo_pins_nonpwm": "the mock has pins without PWM; all of ours have it",
    "test_led_char_display_init": "the mock's line keeps its level when it is closed; ours is let go",
}

_TWENTY_STEPS = "twenty steps of 40 ms have to end within 50 ms of the sum: an emulated machine is later"

#: Of the devices' tests, where the machine is emulated. All of them pass over the fake kernel.
EMULATED: dict[str, str] = {
    "test_input_distance_sensor": "an echo of some ms is measured by a thread that has to be in time",
    "test_input_light_sensor": "an edge has to reach a waiting thread within 9 ms",
    "test_led_board_fade_background": _TWENTY_STEPS,
    "test_output_pwm_fade_background": _TWENTY_STEPS,
    "test_output_pwm_fade_foreground": _TWENTY_STEPS,
    "test_output_pwm_pulse_background": _TWENTY_STEPS,
    "test_output_pwm_pulse_foreground": _TWENTY_STEPS,
    "test_rgbled_fade_background": _TWENTY_STEPS,
    "test_rgbled_fade_foreground": _TWENTY_STEPS,
    "test_rgbled_pulse_background": _TWENTY_STEPS,
    "test_rgbled_pulse_foreground": _TWENTY_STEPS,
}

#: Of `test_real_pins.py`.
REAL_PINS: dict[str, str] = {
    "test_spi_hardware_write[gpiod]": "its called_with() asserts nothing, and Python 3.12 refuses it",
}
