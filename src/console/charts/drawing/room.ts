/** The offset of a drawing in its frame that centers a point, without empty space beside it. */
export function placeOf(middle: number, drawing: number, frame: number, zoom: number): number {
  const room = frame - drawing * zoom
  return room >= 0 ? room / 2 : Math.min(0, Math.max(room, frame / 2 - middle * zoom))
}
