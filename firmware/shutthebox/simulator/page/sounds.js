// Makes the sounds of the buzzer and of wood. A browser lets a page make sounds only after a
// gesture, so nothing is built before `unlock`.

const LOUDNESS = 0.16;
const KEY = "shutthebox.muted";

let context = null;
let master = null;
let buzzer = null;
let volume = null;
let noise = null;
let tone = null;
let muted = recall();

function recall() {
  try {
    return localStorage.getItem(KEY) === "yes";
  } catch {
    return false; // private windows may have no storage
  }
}

export function isMuted() {
  return muted;
}

export function setMuted(value) {
  muted = value;
  try {
    localStorage.setItem(KEY, value ? "yes" : "no");
  } catch {
    // then the choice lasts as long as the page
  }
  if (context) {
    master.gain.setTargetAtTime(muted ? 0 : 1, context.currentTime, 0.01);
  }
}

export function unlock() {
  if (!window.AudioContext) {
    return;
  }
  if (!context) {
    build();
    setTone(tone);
  }
  if (context.state === "suspended") {
    context.resume().catch(() => {});
  }
}

function build() {
  context = new AudioContext({ latencyHint: "interactive" });
  master = new GainNode(context, { gain: muted ? 0 : 1 });
  master.connect(context.destination);

  // Sounds like a piezo driven by a square wave in a wooden box: no bass, and few high tones.
  buzzer = new OscillatorNode(context, { type: "square", frequency: 440 });
  volume = new GainNode(context, { gain: 0 });
  const body = new BiquadFilterNode(context, { type: "lowpass", frequency: 4200, Q: 0.6 });
  const piezo = new BiquadFilterNode(context, { type: "highpass", frequency: 280, Q: 0.5 });
  buzzer.connect(body).connect(piezo).connect(volume).connect(master);
  buzzer.start();

  const length = Math.floor(context.sampleRate * 0.12);
  noise = new AudioBuffer({ length, sampleRate: context.sampleRate });
  const samples = noise.getChannelData(0);
  for (let i = 0; i < length; i += 1) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / length);
  }
}

// The buzzer's tone: a frequency in Hz, or null for silence.
export function setTone(hertz) {
  tone = hertz;
  if (!context) {
    return;
  }
  const now = context.currentTime;
  if (hertz) {
    buzzer.frequency.setValueAtTime(hertz, now);
  }
  volume.gain.cancelScheduledValues(now);
  volume.gain.setTargetAtTime(hertz ? LOUDNESS : 0, now, 0.003);
}

// Wood on wood; a lever that falls knocks deeper than one that is put back.
export function knock(down) {
  if (!context || context.state !== "running") {
    return;
  }
  const now = context.currentTime + (down ? 0.05 : 0.02); // when the lever lands
  const variety = 0.94 + Math.random() * 0.12;

  const rattle = new AudioBufferSourceNode(context, { buffer: noise, playbackRate: variety });
  const wood = new BiquadFilterNode(context, {
    type: "bandpass", frequency: (down ? 950 : 1500) * variety, Q: 2.2,
  });
  const rattleGain = new GainNode(context, { gain: down ? 0.9 : 0.5 });
  rattle.connect(wood).connect(rattleGain).connect(master);
  rattle.start(now);

  const thump = new OscillatorNode(context, { type: "sine", frequency: (down ? 190 : 310) * variety });
  const thumpGain = new GainNode(context, { gain: 0 });
  thumpGain.gain.setValueAtTime(down ? 0.5 : 0.22, now);
  thumpGain.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  thump.frequency.exponentialRampToValueAtTime((down ? 110 : 220) * variety, now + 0.08);
  thump.connect(thumpGain).connect(master);
  thump.start(now);
  thump.stop(now + 0.1);
}
