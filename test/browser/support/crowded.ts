/**
 * Decides where axe's `target-size` may find anything: the rule lays a grid over the page, which is most of axe's cost,
 * and on nearly all pages every target is large enough, or has space around it.
 */

/**
 * Runs in the page: whether a target that is smaller than 24 pixels has another one within 12 of its centre, or two
 * targets overlap. Source: WCAG 2.2, 2.5.8.
 */
export function isCrowded(within: string | null): boolean {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex], [role], [contenteditable]'
  const found = [...document.querySelectorAll(selector)].map((element) => ({
    element,
    box: element.getBoundingClientRect(),
  }))
  const targets = found.filter(({ box }) => box.width > 0 && box.height > 0)
  const room = document.querySelector(within ?? 'html')
  return targets.some(({ element, box }) => {
    if (!room?.contains(element)) return false
    const isSmall = box.width < 24 || box.height < 24
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    return targets.some((other) => {
      if (other.element.contains(element) || element.contains(other.element)) return false
      const { left, right, top, bottom, width, height } = other.box
      if (box.left < right && left < box.right && box.top < bottom && top < box.bottom) return true
      if (!isSmall) return false
      // the circle of a small neighbour counts as its size
      const isSmallToo = width < 24 || height < 24
      const [toX, toY] = [Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)]
      const apart = isSmallToo ? Math.hypot(left + width / 2 - x, top + height / 2 - y) - 12 : Infinity
      return Math.min(Math.hypot(toX, toY), apart) < 12
    })
  })
}
