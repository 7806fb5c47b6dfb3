/** A grid of characters for lines, boxes and words. Lines that meet form corners and crossings. */
import { styled } from '../../terminal/text.ts'

/** The sides of a cell that a line touches. */
const up = 1
const right = 2
const down = 4
const left = 8

/** By the sum of the sides. */
const joints = ' ╵╶└╷│┌├╴┘─┴┐┤┬┼'

type Colour = 'dim' | 'green' | 'bold' | 'cyan' | 'yellow'

export interface Spot {
  x: number
  y: number
}

interface Cell {
  /** The sides, while the cell is part of a line. */
  sides: number
  character: string | undefined
  colour: Colour | undefined
}

export class Canvas {
  readonly #rows: Cell[][] = []

  constructor(
    readonly width: number,
    height: number,
  ) {
    for (let y = 0; y < height; y += 1) {
      this.#rows.push(Array.from({ length: width }, () => ({ sides: 0, character: undefined, colour: undefined })))
    }
  }

  #cell({ x, y }: Spot): Cell | undefined {
    return this.#rows[y]?.[x]
  }

  #add(spot: Spot, sides: number, colour: Colour | undefined): void {
    const cell = this.#cell(spot)
    if (!cell || cell.character !== undefined) return
    cell.sides |= sides
    cell.colour = colour ?? cell.colour
  }

  /** A straight line along one axis. */
  line(from: Spot, to: Spot, colour?: Colour): void {
    const isAcross = from.y === to.y
    const [first, last] = (isAcross ? from.x <= to.x : from.y <= to.y) ? [from, to] : [to, from]
    const length = isAcross ? last.x - first.x : last.y - first.y
    for (let step = 0; step <= length; step += 1) {
      const spot = isAcross ? { x: first.x + step, y: first.y } : { x: first.x, y: first.y + step }
      const [backwards, forwards] = isAcross ? [left, right] : [up, down]
      this.#add(spot, (step > 0 ? backwards : 0) | (step < length ? forwards : 0), colour)
    }
  }

  /** Lines through the points, with a corner between points that differ on both axes. */
  path(spots: readonly Spot[], colour?: Colour): void {
    spots.slice(1).forEach((to, index) => {
      const from = spots[index] as Spot
      const corner = { x: from.x, y: to.y }
      this.line(from, corner, colour)
      this.line(corner, to, colour)
    })
  }

  /** A box around existing content. */
  box({ x, y }: Spot, width: number, height: number, colour?: Colour): void {
    const [endX, endY] = [x + width - 1, y + height - 1]
    this.path(
      [
        { x, y },
        { x: endX, y },
        { x: endX, y: endY },
        { x, y: endY },
        { x, y },
      ],
      colour,
    )
  }

  /** Clears the area, including lines. */
  clear({ x, y }: Spot, width: number, height: number): void {
    for (let row = y; row < y + height; row += 1) {
      for (let column = x; column < x + width; column += 1) {
        const cell = this.#cell({ x: column, y: row })
        if (cell) Object.assign(cell, { sides: 0, character: undefined, colour: undefined })
      }
    }
  }

  /** Words in one line, cut at the edge. */
  text({ x, y }: Spot, words: string, colour?: Colour): void {
    ;[...words].forEach((character, index) => {
      const cell = this.#cell({ x: x + index, y })
      if (cell) Object.assign(cell, { character, colour })
    })
  }

  /** The rows, without trailing spaces and without empty rows around them. */
  toString(): string {
    const lines = this.#rows.map((row) => lineOf(row))
    const isFull = (line: string) => line !== ''
    return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1).join('\n')
  }
}

function lineOf(row: readonly Cell[]): string {
  const shown = row.map(({ sides, character }) => character ?? (joints[sides] as string))
  const length = shown.join('').trimEnd().length
  let line = ''
  for (let from = 0; from < length; ) {
    const colour = row[from]?.colour
    let to = from + 1
    while (to < length && row[to]?.colour === colour) to += 1
    const words = shown.slice(from, to).join('')
    line += colour ? styled(colour, words) : words
    from = to
  }
  return line
}
