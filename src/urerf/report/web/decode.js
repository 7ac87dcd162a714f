// The arrays of the page: deflated, byte by byte of all numbers, as base64 (see payload.py).
const ARRAYS = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of each number side by side again.
function joined(planes, size) {
  const n = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < size; plane++) {
    for (let i = 0; i < n; i++) bytes[i * size + plane] = planes[plane * n + i];
  }
  return bytes;
}

async function decode(name) {
  const box = byId(`data-${name}`);
  if (!box) return null;
  const ArrayType = ARRAYS[box.dataset.type];
  const planes = await inflate(fromBase64(box.textContent));
  box.remove();
  return new ArrayType(joined(planes, ArrayType.BYTES_PER_ELEMENT).buffer);
}

// As decode, with NaN for missing values, which are the largest code of one or two bytes.
async function decodeValues(name) {
  const codes = await decode(name);
  if (!codes || codes.BYTES_PER_ELEMENT > 2) return codes;
  const missing = codes instanceof Uint8Array ? 0xff : 0xffff;
  return Float32Array.from(codes, code => code === missing ? NaN : code);
}
