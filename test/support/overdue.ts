/** How far the removal of expired data is behind, in seconds by task, as `/metrics` reports it. */
export async function overdueAt(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^troupe_retention_overdue_seconds\{task="([^"]+)"\} (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, task, seconds]) => [task, Number(seconds)]))
}
