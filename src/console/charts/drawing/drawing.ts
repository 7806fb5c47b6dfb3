/** A statechart as a self-contained picture: an SVG with inline styles, and a PNG made from it. */

import type { Box, ChartLayout, EdgeLabel, EdgeRoute } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import {
  clockWidth,
  groupFont,
  labelFont,
  labelIndent,
  labelLineHeight,
  labelPadding,
  stateFont,
} from '../../../runtime/statecharts/layouts/text-metrics.ts'
import { allTones, type Tone, toneOf } from '../../ui/badge.tsx'
import type { ChartModel, ChartState } from '../model.ts'
import { arrowHead, roundedPath } from './path.ts'

export interface Palette {
  ground: string
  surface: string
  line: string
  ink: string
  inkSoft: string
  inkFaint: string
  deadline: string
  /** The borders of states. */
  tones: Record<Tone, string>
}

const tokens: Record<Exclude<keyof Palette, 'tones'>, string> = {
  ground: '--ground',
  surface: '--surface',
  line: '--line-drawn',
  ink: '--ink',
  inkSoft: '--ink-soft',
  inkFaint: '--ink-faint',
  deadline: '--waiting-ink',
}

/** The colours of the current theme. */
export function presentPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  const colourOf = (token: string) => style.getPropertyValue(token).trim()
  const colours = Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, colourOf(token)]))
  const tones = Object.fromEntries(allTones.map((tone) => [tone, colourOf(`--${tone}`)]))
  return { ...colours, tones } as Palette
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] as string)

const rect = ({ x, y, width, height }: Box, more: string) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${more}/>`

function drawLine({ points }: Pick<EdgeRoute, 'points'>, { line, inkFaint }: Palette): string {
  return `<path d="${roundedPath(points)}" fill="none" stroke="${line}" stroke-width="1.5"/><polygon points="${arrowHead(points)}" fill="${inkFaint}"/>`
}

function drawWords({ lines, ...box }: EdgeLabel, palette: Palette): string {
  const ground = rect(box, `rx="5" fill="${palette.ground}" fill-opacity="0.92"`)
  const texts = lines.map(({ text, is }, place) => {
    const y = box.y + labelFont + 2 + place * labelLineHeight
    const indent = is === 'deadline' ? clockWidth : is === 'guard' || is === 'effect' ? labelIndent : 0
    const colour = is === 'deadline' ? palette.deadline : is === 'event' ? palette.inkSoft : palette.inkFaint
    const clock =
      is === 'deadline'
        ? `<path d="M${box.x + 6.5},${y - 4} a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 M${box.x + 11},${y - 6.5} v2.5 l1.8,1.2" fill="none" stroke="${colour}" stroke-width="1.2"/>`
        : ''
    return `${clock}<text x="${box.x + labelPadding + indent}" y="${y}" class="word" fill="${colour}">${escaped(text)}</text>`
  })
  return ground + texts.join('')
}

/** The frame of a group, drawn below everything else. */
function drawGroup(name: string, box: Box, { line, inkSoft }: Palette): string {
  return `${rect(box, `rx="14" fill="none" stroke="${line}" stroke-width="1.5"`)}<text x="${box.x + 14}" y="${box.y + 20}" class="group" fill="${inkSoft}">${escaped(name)}</text>`
}

function drawState({ name, isFinal }: ChartState, box: Box, { surface, tones, ink }: Palette): string {
  const stroke = `stroke="${tones[toneOf(name)]}" stroke-width="1.5"`
  const inner = { x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8 }
  const end = isFinal ? rect(inner, `rx="7" fill="none" ${stroke}`) : ''
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 + 5 }
  return `${rect(box, `rx="10" fill="${surface}" ${stroke}`)}${end}<text x="${middle.x}" y="${middle.y}" class="state" fill="${ink}">${escaped(name)}</text>`
}

/** The whole drawing as SVG text. */
export function drawingOf(model: ChartModel, layout: ChartLayout, palette: Palette): string {
  const { width, height, initial } = layout
  const routes = model.edges.flatMap((edge) => {
    const route = layout.edges[edge.id]
    return route ? [route] : []
  })
  const lines = routes.map((route) => drawLine(route, palette))
  const words = routes.map(({ label }) => drawWords(label, palette))
  const states = model.states.map((state) => {
    const box = layout.states[state.name]
    return box ? drawState(state, box, palette) : ''
  })
  const groups = Object.entries(layout.groups).map(([name, box]) => drawGroup(name, box, palette))
  const beginning = initial
    ? `<circle cx="${initial.dot.x + 6}" cy="${initial.dot.y + 6}" r="6" fill="${palette.inkSoft}"/>${drawLine(initial, palette)}`
    : ''
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escaped(model.title)}</title>`,
    `<style>text{font-size:${labelFont}px}.word{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}.group{font:600 ${groupFont}px system-ui,"Segoe UI",Roboto,sans-serif}.state{font:600 ${stateFont}px system-ui,"Segoe UI",Roboto,sans-serif;text-anchor:middle}</style>`,
    `<rect width="${width}" height="${height}" fill="${palette.ground}"/>`,
    ...groups,
    ...lines,
    beginning,
    ...words,
    ...states,
    '</svg>',
  ].join('\n')
}

const scale = 2

/** The drawing as a PNG of twice its size. Rejects if the browser cannot draw it. */
export async function pngOf(svg: string, { width, height }: ChartLayout): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * scale)
  canvas.height = Math.ceil(height * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png')
  return promise
}

/** Downloads a file. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
