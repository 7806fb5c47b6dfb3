/** Line icons, hidden from screen readers: whatever uses one has a text label too. */
import { LineDrawing } from './text/line-drawing.tsx'

const paths = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  chevron: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 119.5 4a7 7 0 0010.5 10.5z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  plus: 'M12 5v14M5 12h14',
  search: 'M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM15.5 15.5L20 20',
  refresh: 'M20 11a8 8 0 10-2.3 6.3M20 5v6h-6',
  warning: 'M12 4l9 16H3zM12 10v4M12 17.2v.1',
  lock: 'M6 11h12v9H6zM9 11V8a3 3 0 016 0v3',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h5l1.2 2.5h3.6L15 13h5',
  bell: 'M6 16V11a6 6 0 0112 0v5l2 2H4zM10 20.500a2.200 2.200 0 004 0',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  folder: 'M3 6h6l2 2.5h10V19H3z',
  run: 'M7 5l12 7-12 7z',
  chat: 'M4 5h16v11H10l-4.5 4V16H4z',
  chart: 'M5 5h5v5H5zM14 14h5v5h-5zM10 7.5h6.5V14',
  rocket: 'M12 3c4 3 5 7 5 10l-2.5 4h-5L7 13c0-3 1-7 5-10zM12 10v.1M9.5 17L8 21M14.5 17l1.5 4',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500v.1',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  agent: 'M7 9h10v9H7zM12 9V5M12 5v-.1M4 13h1M19 13h1M10 13v.1M14 13v.1',
  flow: 'M4 6h5v4H4zM15 14h5v4h-5zM9 8h4a3 3 0 013 3v3',
  hook: 'M9 15a4 4 0 104 4c0-3-5-6-5-10a4 4 0 018 0M15 13a4 4 0 11-2 7',
  bolt: 'M13 3L5 14h6l-1 7 8-11h-6z',
  clock: 'M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4.5l3 2',
  approve: 'M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4',
  entity: 'M5 6c0-3 14-3 14 0v12c0 3-14 3-14 0zM5 6c0 3 14 3 14 0M5 12c0 3 14 3 14 0',
  key: 'M14 10a4 4 0 10-3.5 4L12 16h2v2h2v2h3v-3l-5.3-5.3',
  plug: 'M8 4v5M16 4v5M6 9h12v3a6 6 0 01-12 0zM12 18v3',
  variable: 'M8 5c-3 0-1 6-4 7 3 1 1 7 4 7M16 5c3 0 1 6 4 7-3 1-1 7-4 7',
  settings:
    'M12 9a3 3 0 100 6 3 3 0 000-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  people:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20c0-4 2.5-6 6-6s6 2 6 6M16 4.5a3.5 3.5 0 010 6M17 14c2.5.5 4 2.500 4 6',
  card: 'M3 6h18v12H3zM3 10h18M7 15h3',
  log: 'M6 4h12v16H6zM9 8h6M9 12h6M9 16h4',
  book: 'M5 5c3-1 5-1 7 1 2-2 4-2 7-1v13c-3-1-5-1-7 1-2-2-4-2-7-1zM12 6v13',
  out: 'M14 5h5v5M19 5l-8 8M17 13v6H5V7h6',
  undo: 'M8 5L4 9l4 4M4 9h10a5 5 0 010 10H9',
  fork: 'M6 4v16M6 15c0-6 12-3 12-11M15 7l3-3 3 3',
  list: 'M9 6h11M9 12h11M9 18h11M4.500 6v.1M4.500 12v.1M4.500 18v.1',
  branch: 'M12 3l9 9-9 9-9-9zM12 8v5M12 16v.1',
  user: 'M12 12a4 4 0 100-8 4 4 0 000 8zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <LineDrawing path={paths[name]} size={size} />
)
