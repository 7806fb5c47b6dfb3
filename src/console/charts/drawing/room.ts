/** Where a drawing begins in a frame, so that a place on it is in the middle, as far as no room is wasted for that. */
export function placeOf(middle: number, drawing: number, frame: number, zoom: number): number {
  const room = frame - drawing * zoom
  return room >= 0 ? room / 2 : Math.min(0, Math.max(room, frame / 2 - middle * zoom))
}
