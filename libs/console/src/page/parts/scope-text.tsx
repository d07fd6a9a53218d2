import type { Scope } from '../api/wire-types.ts';

/** An inventory, as its path has it. */
export function ScopeText({ scope }: { scope: Scope }) {
  return (
    <code class="nowrap">
      {scope.platform_id}/{scope.app_id}/{scope.context_id}
    </code>
  );
}
