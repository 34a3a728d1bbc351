# Chooses one of the card's two systems and starts it. The same script runs on a Pi and in an emulated machine.
#
# Three variables lie on the card, 512 KiB from its start, with a checksum. RAUC writes them:
#   BOOT_ORDER    the systems, the wanted one first
#   BOOT_A_LEFT   9: system A is confirmed. 1 to 3: an update on trial, with so many starts left. 0: do not start it
#   BOOT_B_LEFT   the same for B
# Only a system on trial is counted, so an ordinary start writes nothing.
setenv BOOT_ORDER "A B"
setenv BOOT_A_LEFT 9
setenv BOOT_B_LEFT 9
# Far from each other and from where U-Boot itself runs, on 512 MB too.
setexpr image ${kernel_addr_r} + 0
setexpr packed ${kernel_addr_r} + 8000000
setexpr initrd ${kernel_addr_r} + b000000
setexpr state ${kernel_addr_r} + a000000
${devtype} dev ${devnum}
if ${devtype} read ${state} 400 8; then env import -c ${state} 1000 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; fi

setenv tried
# The third and fourth name come into play only if neither system may be started or can be read.
for slot in ${BOOT_ORDER} A B; do
    setenv left 0
    if test "${slot}" = A; then
        setenv left ${BOOT_A_LEFT}
        setenv part 2
    fi
    if test "${slot}" = B; then
        setenv left ${BOOT_B_LEFT}
        setenv part 3
    fi
    if test "${tried}" = AB || test "${tried}" = BA; then setenv left 9; fi
    setenv tried ${tried}${slot}
    if test ${left} -gt 0; then
        if load ${devtype} ${devnum}:${part} ${packed} Image.gz && unzip ${packed} ${image} && load ${devtype} ${devnum}:${part} ${initrd} initrd.img; then
            setenv size ${filesize}
            if test ${left} -lt 9; then
                setexpr BOOT_${slot}_LEFT ${left} - 1
                env export -c -s 1000 ${state} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
                ${devtype} write ${state} 400 8
            fi
            setenv bootargs "rauc.slot=${slot} panic=10 quiet"
            booti ${image} ${initrd}:${size} ${fdtcontroladdr}
        fi
    fi
done
echo "No system on this card can be started."
sleep 10
reset
