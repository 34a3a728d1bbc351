"""The parts of the HAT: footprint, maker's number, and what may be fitted instead."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """A line of the bill of materials."""

    value: str
    footprint: str
    maker: str
    mpn: str
    alternative: str
    note: str = ""

    def fields(self) -> dict[str, str]:
        """The hidden fields that the schematic carries for the bill of materials."""
        fields = {"Manufacturer": self.maker, "MPN": self.mpn, "Alternative": self.alternative}
        if self.note:
            fields["Note"] = self.note
        return fields


_R = "Resistor_SMD:R_0603_1608Metric_Pad0.98x0.95mm_HandSolder"
_R8 = "Resistor_SMD:R_0805_2012Metric_Pad1.20x1.40mm_HandSolder"
_C = "Capacitor_SMD:C_0603_1608Metric_Pad1.08x0.95mm_HandSolder"
_C8 = "Capacitor_SMD:C_0805_2012Metric_Pad1.18x1.45mm_HandSolder"
_XH = "Connector_JST:JST_XH_B{0}B-XH-A_1x0{0}_P2.50mm_Vertical"

PARTS: dict[str, Part] = {
    "3k3": Part("3.3k", _R, "Yageo", "RC0603FR-073K3L", "Vishay CRCW06033K30FKEA; any 0603 1 %"),
    "1k": Part("1k", _R, "Yageo", "RC0603FR-071KL", "Vishay CRCW06031K00FKEA; any 0603 1 %"),
    "100R": Part("100R", _R, "Yageo", "RC0603FR-07100RL", "Vishay CRCW0603100RFKEA; any 0603 1 %"),
    "100k": Part("100k", _R, "Yageo", "RC0603FR-07100KL", "Vishay CRCW0603100KFKEA; any 0603 1 %"),
    "10k": Part("10k", _R, "Yageo", "RC0603FR-0710KL", "Vishay CRCW060310K0FKEA; any 0603 1 %"),
    "3k9": Part("3.9k", _R, "Yageo", "RC0603FR-073K9L", "Vishay CRCW06033K90FKEA; any 0603 1 %"),
    "22R": Part("22R", _R8, "Yageo", "RC0805FR-0722RL", "Vishay CRCW080522R0FKEA; any 0805 1/8 W"),
    "47R": Part(
        "47R",
        _R8,
        "Yageo",
        "RC0805FR-0747RL",
        "Vishay CRCW080547R0FKEA; any 0805 1/8 W",
        "for buttons with a resistor of their own; 270R (RC0805FR-07270RL) for a bare LED",
    ),
    "100n": Part(
        "100n",
        _C,
        "Samsung",
        "CL10B104KB8NNNC",
        "Murata GRM188R71H104KA93D; Kemet C0603C104K5RACTU; X7R, 16 V up",
    ),
    "10u": Part("10u", _C8, "Samsung", "CL21A106KAYNNNE", "Murata GRM21BR61E106KA73L; X5R, 16 V up"),
    "tvs": Part(
        "PESD5V0S1BA",
        "hat:D_SOD-323_Bidirectional",
        "Nexperia",
        "PESD5V0S1BA,115",
        "Bourns CDSOD323-T05C; Semtech SD05C.TCT",
        "bidirectional: either way round",
    ),
    "diode": Part("1N4148W", "Diode_SMD:D_SOD-123", "Diodes Inc.", "1N4148W-7-F", "Vishay 1N4148W-E3-08"),
    "fet": Part(
        "AO3400A",
        "Package_TO_SOT_SMD:SOT-23",
        "Alpha & Omega",
        "AO3400A",
        "Diodes Inc. DMG2302UK-7; a logic-level N-MOSFET rated at 2.5 V gate, pins G-S-D",
    ),
    "fuse5": Part(
        "0.5A",
        "Fuse:Fuse_1206_3216Metric_Pad1.42x1.75mm_HandSolder",
        "Bourns",
        "MF-NSMF050-2",
        "Littelfuse 1206L050YR",
        "resettable fuse",
    ),
    "fuse3": Part(
        "0.2A",
        "Fuse:Fuse_1206_3216Metric_Pad1.42x1.75mm_HandSolder",
        "Bourns",
        "MF-NSMF020-2",
        "Littelfuse 1206L020YR",
        "resettable fuse",
    ),
    "header": Part(
        "GPIO",
        "Connector_PinSocket_2.54mm:PinSocket_2x20_P2.54mm_Vertical",
        "Sullins",
        "PPTC202LFBN-RC",
        "Samtec SSW-120-01-T-D; Wuerth 61304021821",
        "socket on the underside",
    ),
    "xh2": Part(
        "XH 2",
        _XH.format(2),
        "JST",
        "B2B-XH-A(LF)(SN)",
        "any XH header, 2.5 mm",
        "plug XHP-2, contacts SXH-001T-P0.6",
    ),
    "xh3": Part(
        "XH 3",
        _XH.format(3),
        "JST",
        "B3B-XH-A(LF)(SN)",
        "any XH header, 2.5 mm",
        "plug XHP-3, contacts SXH-001T-P0.6",
    ),
    "xh4": Part(
        "XH 4",
        _XH.format(4),
        "JST",
        "B4B-XH-A(LF)(SN)",
        "any XH header, 2.5 mm",
        "plug XHP-4, contacts SXH-001T-P0.6",
    ),
    "xh5": Part(
        "XH 5",
        _XH.format(5),
        "JST",
        "B5B-XH-A(LF)(SN)",
        "any XH header, 2.5 mm",
        "plug XHP-5, contacts SXH-001T-P0.6",
    ),
    "ph4": Part(
        "PH 4",
        "Connector_JST:JST_PH_B4B-PH-K_1x04_P2.00mm_Vertical",
        "JST",
        "B4B-PH-K-S(LF)(SN)",
        "any PH header, 2.0 mm",
        "plug PHR-4, contacts SPH-002T-P0.5S",
    ),
    "box14": Part(
        "2x7",
        "Connector_IDC:IDC-Header_2x07_P2.54mm_Vertical",
        "On Shore",
        "302-S141",
        "Wuerth 61201421621; any 2x7 2.54 mm box header",
    ),
    "tact": Part(
        "B3U-1000P",
        "Button_Switch_SMD:SW_SPST_B3U-1000P",
        "Omron",
        "B3U-1000P",
        "Omron B3U-1000P-B (with boss) does not fit",
        "may be left out: use J7",
    ),
    "eeprom": Part(
        "24LC32",
        "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
        "Microchip",
        "24LC32A-I/SN",
        "onsemi CAT24C32WI-GT3; ST M24C32-RMN6TP",
    ),
    "expander": Part(
        "MCP23017",
        "Package_SO:SOIC-28W_7.5x17.9mm_P1.27mm",
        "Microchip",
        "MCP23017-E/SO",
        "MCP23017T-E/SO (the same on tape)",
    ),
    "pack": Part(
        "4x330R", "Resistor_SMD:R_Array_Convex_4x0603", "Yageo", "YC164-JR-07330RL", "Panasonic EXB-38V331JV"
    ),
    "jumper": Part("WRITE ID", "Jumper:SolderJumper-2_P1.3mm_Open_RoundedPad1.0x1.5mm", "", "", ""),
    "hole": Part("M2.5", "MountingHole:MountingHole_2.7mm_M2.5", "", "", ""),
}
