extension Page {
    static let script = #"""
        // All values of a store reach the page through textContent, so that none of them is markup.
        const $ = (id) => document.getElementById(id);
        const h = (tag, props = {}, ...children) => {
          const node = document.createElement(tag);
          for (const [name, value] of Object.entries(props)) {
            if (value === undefined || value === null || value === false) continue;
            if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
            else node.setAttribute(name, value === true ? '' : value);
          }
          node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
          return node;
        };
        const say = (text) => { $('status').textContent = text; clearTimeout(say.timer); say.timer = setTimeout(() => { $('status').textContent = ''; }, 4000); };
        const number = (value) => value === null || value === undefined ? '?' : value.toLocaleString('en-US');
        const clock = (time) => new Date(time).toLocaleTimeString();

        // --- Requests

        class Refused extends Error {
          constructor(failure, status) { super(failure?.message ?? `The inspector answered ${status}.`); this.failure = failure; this.status = status; }
        }

        const path = (name, params) => {
          const query = new URLSearchParams();
          for (const [key, value] of Object.entries(params)) {
            for (const one of [].concat(value ?? [])) if (one !== '') query.append(key, one);
          }
          return `/${name}?${query}`;
        };

        const get = async (name, params, signal) => {
          const response = await fetch(path(name, params), { signal });
          if (response.ok) return response;
          let failure;
          try { failure = (await response.json()).error; } catch { /* no body */ }
          throw new Refused(failure, response.status);
        };
        const json = async (name, params, signal) => (await get(name, params, signal)).json();

        const signIn = async () => {
          const match = /^#t=([0-9a-f]{32})$/.exec(location.hash);
          if (!match) return;
          history.replaceState(null, '', location.pathname + location.search);
          await fetch('/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: match[1] }) });
        };

        // --- The state, which is the address

        const state = () => {
          const query = new URLSearchParams(location.search);
          return {
            store: Number(query.get('store') ?? 0), view: query.get('view') ?? '', type: query.get('type') ?? '',
            where: query.get('where') ?? '', sort: query.getAll('sort'), id: query.get('id') ?? '', row: Number(query.get('row') ?? 0),
            part: query.get('part') ?? '', number: query.get('number') ?? '', after: query.get('after') ?? '', other: query.get('other') ?? '',
          };
        };
        const address = (params) => path('', params);
        const go = (params, replaces = false) => {
          history[replaces ? 'replaceState' : 'pushState'](null, '', address(params));
          if (!replaces) show();
        };
        const link = (params, ...children) => h('a', {
          href: address(params),
          onclick: (event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
            event.preventDefault();
            go(params);
          },
        }, ...children);

        let stores = [];
        let types = [];
        let leave = () => {};

        const show = async () => {
          leave();
          leave = () => {};
          const at = state();
          try {
            if (!stores.length) stores = await json('stores.json', {});
            if (at.store >= stores.length) at.store = 0;
            types = await json('types.json', { store: at.store });
            showNavigation(at);
            const view = { item: showItem, raw: showRaw, verify: showVerify, diff: showDiff }[at.view];
            if (view) await view(at);
            else if (at.type) showGrid(at);
            else showTypes(at);
            document.title = [at.id || at.view || at.type, stores[at.store].name, 'inspector'].filter(Boolean).join(' · ');
          } catch (error) { showFailure(error); }
        };

        const showFailure = (error) => {
          if (error.name === 'AbortError') return;
          if (error.status === 401) {
            $('nav').replaceChildren();
            $('main').replaceChildren(h('h1', {}, 'Not signed in'),
              h('p', {}, 'Open the address that the program printed when the inspector started: it contains the token.'));
            return;
          }
          $('main').replaceChildren(h('h1', {}, 'This cannot be shown'), h('p', { class: 'bad' }, error.message));
        };

        const showNavigation = (at) => {
          $('nav').replaceChildren(...stores.flatMap((store, index) => [
            h('h2', {}, link({ store: index }, store.name)),
            index !== at.store ? null : h('ul', {}, ...types.filter((type) => !type.isLinks || type.name === at.type).map((type) => {
              const entry = link({ store: index, type: type.name }, h('span', {}, type.name), h('span', { class: type.damage ? 'bad' : 'n' }, type.damage ? 'damaged' : number(type.count)));
              if (type.name === at.type) entry.setAttribute('aria-current', 'page');
              return h('li', {}, entry);
            })),
            index !== at.store ? null : h('ul', {},
              store.hasRawEntries ? h('li', {}, link({ store: index, view: 'raw' }, 'Bytes')) : null,
              h('li', {}, link({ store: index, view: 'verify' }, 'Verify')),
              ...stores.map((other, place) => place === index ? null : h('li', {}, link({ store: index, view: 'diff', other: place }, `Compare with ${other.name}`)))),
          ].filter(Boolean)));
        };

        // --- Values

        const cellText = (cell) => {
          if (cell.kind === 'null') return '';
          if (cell.kind === 'hidden') return `hidden, ${number(cell.size)} bytes`;
          return cell.text + (cell.size === undefined ? '' : ` … ${number(cell.size)} bytes`);
        };
        const describe = (cell) => {
          if (cell.kind !== 'date') return `${cell.kind}: ${cellText(cell)}`;
          const date = new Date(cell.text);
          return `date: ${cell.text} (UTC)` + (isNaN(date) ? '' : `\n${date.toLocaleString()} (local)`);
        };
        const isNumber = (cell) => ['int', 'double', 'decimal'].includes(cell.kind);
        const valueNode = (cell, at) => {
          if (cell.target) return link({ store: at.store, view: 'item', type: cell.target.type, id: cell.target.id }, cellText(cell));
          const node = h('span', { class: cell.kind === 'null' || cell.kind === 'hidden' ? 'dim' : null, title: describe(cell) });
          node.textContent = cell.kind === 'null' ? 'null' : cellText(cell);
          return node;
        };

        // --- Types

        const showTypes = (at) => {
          const rows = types.map((type) => h('tr', {},
            h('th', { scope: 'row' }, link({ store: at.store, type: type.name }, type.name), type.isLinks ? h('span', { class: 'dim' }, ' links') : null),
            h('td', { class: 'num' }, type.damage ? h('span', { class: 'bad' }, type.damage) : number(type.count)),
            h('td', {}, ...type.attributes.flatMap((attribute) => [attribute.name, h('span', { class: 'kind' }, ` ${attribute.kinds.join('|')}  `)])),
            h('td', {}, type.indexes.map((index) => index.attributes.join(', ') + (index.isUnique ? ' (unique)' : '') + (index.ignoresCase ? ' (ignoring case)' : '')).join('; ')),
            h('td', {}, type.relationships.map((one) => `${one.name} → ${one.type}${one.isToMany ? '*' : ''}`).join('; '))));
          $('main').replaceChildren(h('h1', {}, stores[at.store].name),
            types.length === 0 ? h('p', {}, 'The store has no types yet.') : h('table', {},
              h('thead', {}, h('tr', {}, ...['Type', 'Items', 'Attributes', 'Indexes', 'Relationships'].map((name) => h('th', { scope: 'col' }, name)))),
              h('tbody', {}, ...rows)));
        };

        // --- The grid

        const ROW = 26, PAGE = 100, MOST = 8_000_000;

        const showGrid = (at) => {
          const type = types.find((one) => one.name === at.type);
          const written = (name) => type?.attributes.find((one) => one.name === name)?.written ?? name;
          const query = { store: at.store, type: at.type, where: at.where, sort: at.sort };
          const abort = new AbortController();
          const selected = new Set();
          const changed = new Set();
          let pages = new Map(), columns = null, count = null, focus = at.row, first = at.row, events = null;

          const filter = h('input', { class: 'filter', name: 'where', value: at.where, 'aria-label': 'Filter by a predicate', 'aria-describedby': 'fault', spellcheck: 'false', autocomplete: 'off', list: 'names',
            placeholder: 'A predicate: stars > 3 AND name CONTAINS[cd] "cafe"' });
          const fault = h('pre', { class: 'fault', id: 'fault', role: 'alert' });
          const plan = h('div', { class: 'plan', id: 'plan' });
          const space = h('div', { class: 'space' });
          const head = h('div', { class: 'row head', role: 'row' });
          const body = h('div', { role: 'rowgroup' });
          const grid = h('div', { class: 'grid', role: 'grid', tabindex: '0', 'aria-label': `Items of ${at.type}`, 'aria-multiselectable': 'true' }, space, head, body);
          const live = h('button', { type: 'button', 'aria-pressed': 'false', disabled: !stores[at.store].isLive, onclick: () => watch(live.getAttribute('aria-pressed') !== 'true') }, 'Live');
          const format = h('select', { 'aria-label': 'Format' }, ...['json', 'jsonl', 'csv'].map((name) => h('option', {}, name)));
          const facet = h('select', { 'aria-label': 'Frequent values of' }, h('option', { value: '' }, 'Frequent values…'), ...(type?.attributes ?? []).filter((one) => !one.isHidden).map((one) => h('option', {}, one.name)));
          facet.addEventListener('change', () => { if (facet.value) showFacets(at, facet.value, query); facet.value = ''; });

          const bar = h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); go({ ...query, where: filter.value }); } },
            filter, h('datalist', { id: 'names' }, ...(type?.attributes ?? []).map((one) => h('option', { value: `${one.written} == ` }))),
            h('button', {}, 'Filter'), h('button', { type: 'button', onclick: () => go({ store: at.store, type: at.type }) }, 'Clear'));
          const tools = h('div', { class: 'bar' }, live, facet, format,
            h('button', { type: 'button', onclick: () => copy() }, 'Copy'), h('button', { type: 'button', onclick: () => save() }, 'Save'),
            h('button', { type: 'button', onclick: () => explain() }, 'Explain'),
            h('span', { class: 'dim' }, 'Enter opens, Space selects'));
          $('main').replaceChildren(h('h1', {}, at.type), bar, fault, tools, plan, grid);
          $('main').classList.add('wide');

          const fail = (error) => {
            if (error.name === 'AbortError') return;
            const place = error.failure?.location;
            if (place) {
              const before = [...new Intl.Segmenter().segment(place.text)].slice(0, place.offset).map((one) => one.segment).join('');
              filter.setAttribute('aria-invalid', 'true');
              fault.textContent = `${place.text}\n${' '.repeat([...before].length)}^\n${error.message}`;
              filter.focus();
              filter.setSelectionRange(before.length, before.length);
            } else if (error.status === 401) showFailure(error);
            else fault.textContent = error.message;
          };

          const height = () => Math.min((count ?? 0) * ROW, MOST);
          const visible = () => Math.max(1, Math.floor((grid.clientHeight - ROW) / ROW));
          const isScaled = () => (count ?? 0) * ROW > MOST;
          const lastFirst = () => Math.max(0, (count ?? 0) - visible());

          const load = (page) => {
            if (pages.has(page)) return;
            pages.set(page, null);
            json('rows.json', { ...query, offset: page * PAGE, limit: PAGE }, abort.signal).then((answer) => {
              pages.set(page, answer.rows);
              if (pages.size > 60) for (const old of [...pages.keys()].slice(0, 20)) if (Math.abs(old - page) > 3) pages.delete(old);
              if (!columns) { columns = answer.columns; drawHead(); }
              draw();
            }).catch((error) => { pages.delete(page); fail(error); });
          };

          const drawHead = () => {
            const direction = (name) => at.sort.includes(name) ? 'ascending' : at.sort.includes(`${name}:desc`) ? 'descending' : null;
            const sortBy = (name, adds) => {
              const now = direction(name);
              const next = now === null ? [name] : now === 'ascending' ? [`${name}:desc`] : [];
              go({ ...query, sort: adds ? [...at.sort.filter((one) => one !== name && one !== `${name}:desc`), ...next] : next });
            };
            head.replaceChildren(h('div', { class: 'cell id', role: 'columnheader' }, h('span', { class: 'label' }, 'id')), ...columns.map((name) => {
              const now = direction(name);
              return h('div', { class: 'cell', role: 'columnheader', 'aria-sort': now ?? 'none' },
                h('button', { class: 'name', type: 'button', title: `Sort by ${name}; with Shift as a further key`, onclick: (event) => sortBy(name, event.shiftKey) }, name + (now === 'ascending' ? ' ▲' : now === 'descending' ? ' ▼' : '')));
            }));
          };

          const rowNode = (index, row) => {
            const node = h('div', { class: 'row', role: 'row', 'aria-rowindex': index + 2, 'aria-selected': row ? String(selected.has(row.id)) : 'false' });
            node.style.top = `${ROW + (index - first) * ROW + (isScaled() ? grid.scrollTop : first * ROW)}px`;
            if (index === focus) node.classList.add('focus');
            if (!row) { node.append(h('div', { class: 'cell dim', role: 'gridcell' }, '…')); return node; }
            if (selected.has(row.id)) node.classList.add('selected');
            if (changed.has(row.id)) node.classList.add('changed');
            const open = link({ store: at.store, view: 'item', type: at.type, id: row.id }, row.id.slice(-8));
            open.tabIndex = -1;
            node.append(h('div', { class: 'cell id', role: 'gridcell', title: row.id }, open), ...row.cells.map((cell) => {
              const inner = valueNode(cell, at);
              inner.tabIndex = -1;
              return h('div', { class: `cell ${isNumber(cell) ? 'num' : ''}`, role: 'gridcell', title: describe(cell) }, inner);
            }));
            node.addEventListener('click', (event) => {
              if (event.target.closest('a')) return;
              focus = index;
              toggle(row.id);
            });
            node.addEventListener('dblclick', () => openRow(row));
            return node;
          };

          const rowAt = (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE];
          const openRow = (row) => { if (row) { go({ ...query, row: focus }, true); go({ store: at.store, view: 'item', type: at.type, id: row.id }); } };
          const toggle = (id) => { selected.has(id) ? selected.delete(id) : selected.add(id); draw(); };

          const draw = () => {
            if (count === null) {
              // The first page appears before the items are counted.
              const rows = pages.get(Math.floor(first / PAGE));
              if (!rows) return;
              body.replaceChildren(...rows.slice(first % PAGE, first % PAGE + visible() + 2).map((row, place) => rowNode(first + place, row)));
              return;
            }
            const width = 110 + 180 * (columns?.length ?? 1);
            space.style.height = `${height() + ROW}px`;
            space.style.width = `${width}px`;
            head.style.width = `${width}px`;
            const nodes = [];
            // The row above may be visible in part.
            for (let index = Math.max(0, first - (isScaled() ? 0 : 1)); index < Math.min(count, first + visible() + 2); index += 1) {
              if (!pages.has(Math.floor(index / PAGE))) load(Math.floor(index / PAGE));
              nodes.push(rowNode(index, rowAt(index)));
            }
            body.replaceChildren(...nodes);
            grid.setAttribute('aria-rowcount', count + 1);
          };

          const scrolled = () => {
            if (count === null || scrolled.isOwn) { scrolled.isOwn = false; return; }
            const range = Math.max(1, grid.scrollHeight - grid.clientHeight);
            first = Math.max(0, Math.min(lastFirst(), isScaled() ? Math.round(grid.scrollTop / range * lastFirst()) : Math.floor(grid.scrollTop / ROW)));
            draw();
            // The position belongs to the address; not each step of the wheel does.
            clearTimeout(scrolled.timer);
            scrolled.timer = setTimeout(() => { if (grid.isConnected) go({ ...query, row: first || '' }, true); }, 300);
          };
          const reveal = () => {
            if (focus < first) first = focus;
            if (focus >= first + visible()) first = focus - visible() + 1;
            first = Math.max(0, Math.min(first, lastFirst()));
            const range = Math.max(1, height() + ROW - grid.clientHeight);
            const top = Math.min(range, isScaled() ? first / Math.max(1, lastFirst()) * range : first * ROW);
            if (Math.abs(grid.scrollTop - top) >= 1) { scrolled.isOwn = true; grid.scrollTop = top; }
            draw();
          };
          grid.addEventListener('scroll', scrolled, { passive: true });
          grid.addEventListener('keydown', (event) => {
            if (event.target !== grid) return;
            // The keys work before the items are counted.
            const total = count ?? (pages.get(0)?.length ?? 0);
            if (total === 0) return;
            const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: visible(), PageUp: -visible(), Home: -total, End: total }[event.key];
            if (steps !== undefined) focus = Math.max(0, Math.min(total - 1, focus + steps));
            else if (event.key === 'Enter') return openRow(rowAt(focus));
            else if (event.key === ' ' && rowAt(focus)) toggle(rowAt(focus).id);
            else return;
            event.preventDefault();
            reveal();
          });

          // --- Copies and files

          const exported = () => ({ ...query, format: format.value, id: [...selected] });
          const copy = async () => {
            try {
              if (selected.size > 80) throw new Error('Copy at most 80 selected items, or save the result as a file.');
              const params = selected.size ? exported() : { ...exported(), limit: 1000 };
              const text = await (await get('export', params)).text();
              await navigator.clipboard.writeText(text);
              say(selected.size ? `${number(selected.size)} items copied` : count > 1000 ? 'The first 1,000 items copied' : `${number(count)} items copied`);
            } catch (error) { fail(error); }
          };
          const save = () => {
            if (selected.size > 80) return fail(new Error('Save at most 80 selected items, or filter and save the whole result.'));
            const anchor = h('a', { href: path('export', exported()), download: true });
            document.body.append(anchor);
            anchor.click();
            anchor.remove();
          };

          const explain = async () => {
            try {
              const answer = await json('explain.json', { ...query, offset: first, limit: PAGE }, abort.signal);
              plan.textContent = `These rows: ${answer.plan}; ${answer.milliseconds.toFixed(1)} ms`;
            } catch (error) { fail(error); }
          };

          // --- Changes

          const watch = (isOn) => {
            live.setAttribute('aria-pressed', String(isOn));
            events?.close();
            events = null;
            if (!isOn) return;
            events = new EventSource(path('changes', { store: at.store, type: at.type }));
            events.addEventListener('change', (event) => {
              const change = JSON.parse(event.data);
              changed.clear();
              for (const id of [...change.inserted, ...change.updated]) changed.add(id);
              refresh(true);
              if (watch.isBegun) say(`Changed: ${number(change.inserted.length)} new, ${number(change.updated.length)} updated, ${number(change.deleted.length)} deleted`);
              watch.isBegun = true;
            });
            events.addEventListener('failure', (event) => { fail(new Error(JSON.parse(event.data).message)); watch(false); });
          };

          const refresh = async (keepsRows = false) => {
            if (keepsRows) {
              const shown = [...new Set([Math.floor(first / PAGE), Math.floor((first + visible()) / PAGE)])];
              for (const page of [...pages.keys()]) if (!shown.includes(page)) pages.delete(page);
              for (const page of shown) {
                json('rows.json', { ...query, offset: page * PAGE, limit: PAGE }, abort.signal).then((answer) => { pages.set(page, answer.rows); draw(); }).catch(fail);
              }
            } else load(Math.floor(first / PAGE));
            try {
              const answer = await json('count.json', query, abort.signal);
              count = answer.count;
              plan.textContent = `${number(count)} items · ${answer.plan} · ${answer.milliseconds.toFixed(1)} ms · ${clock(answer.time)}`;
              if (count === 0) body.replaceChildren(h('p', { class: 'dim' }, ' No item matches.'));
              if (first > lastFirst()) first = lastFirst();
              draw();
              if (first > 0 && !keepsRows) { focus = Math.max(focus, first); reveal(); }
            } catch (error) {
              if (error.failure?.code === 'deadlineExceeded' && count === null) {
                // The rows can be looked at, although counting all of them takes too long.
                const rows = pages.get(0);
                count = rows ? rows.length : 0;
                draw();
              }
              fail(error);
            }
          };
          const resized = () => draw();
          addEventListener('resize', resized);
          leave = () => { abort.abort(); events?.close(); removeEventListener('resize', resized); clearTimeout(scrolled.timer); };
          refresh();
        };

        // --- Frequent values

        const showFacets = async (at, attribute, query) => {
          const dialog = h('dialog', { 'aria-label': `Frequent values of ${attribute}` }, h('h2', {}, attribute), h('p', {}, 'Counting…'));
          document.body.append(dialog);
          dialog.addEventListener('close', () => dialog.remove());
          dialog.showModal();
          const close = h('button', { onclick: () => dialog.close() }, 'Close');
          try {
            const answer = await json('facets.json', { ...query, attribute });
            const narrowed = (predicate) => at.where ? `(${at.where}) AND ${predicate}` : predicate;
            dialog.replaceChildren(h('h2', {}, attribute), h('table', {}, h('tbody', {}, ...answer.values.map((value) => h('tr', {},
              h('td', {}, h('a', { href: address({ ...query, where: narrowed(value.predicate) }), onclick: (event) => { event.preventDefault(); dialog.close(); go({ ...query, where: narrowed(value.predicate) }); } }, cellText(value.cell) || (value.cell.kind === 'null' ? 'null' : '(empty)'))),
              h('td', { class: 'num' }, number(value.count)))))), ...(answer.hasMore ? [h('p', { class: 'dim' }, 'There are more values.')] : []), close);
          } catch (error) { dialog.replaceChildren(h('h2', {}, attribute), h('p', { class: 'bad' }, error.message), close); }
        };

        // --- An item

        const showItem = async (at) => {
          const item = await json('item.json', { store: at.store, type: at.type, id: at.id });
          const here = { store: at.store, type: at.type, id: at.id };
          const attribute = (one) => h('tr', {}, h('th', { scope: 'row' }, one.name, ' ', h('span', { class: 'kind' }, one.cell.kind)), h('td', {},
            one.picture ? h('img', { alt: one.name, src: path('picture', { ...here, attribute: one.name }) }) : h('pre', {}, valueNode(one.cell, at)),
            one.cell.kind === 'date' ? h('div', { class: 'dim' }, `${new Date(one.cell.text).toLocaleString()} local`) : null,
            ['string', 'data', 'array', 'dictionary'].includes(one.cell.kind) && (one.cell.size !== undefined || one.cell.kind === 'data')
              ? h('a', { href: path('value', { ...here, attribute: one.name }), download: true }, 'Save the whole value') : null));
          const linked = (one) => h('li', {}, one.title === undefined
            ? h('span', { class: 'bad' }, `${one.type} ${one.id}: deleted`)
            : link({ store: at.store, view: 'item', type: one.type, id: one.id }, one.title || one.id), h('span', { class: 'kind' }, ` ${one.type}`));
          const copy = async () => { await navigator.clipboard.writeText(await (await get('export', { store: at.store, type: at.type, id: at.id, format: 'jsonl' })).text()); say('Copied as JSON'); };
          $('main').replaceChildren(
            h('h1', {}, item.title || item.id),
            h('div', { class: 'bar' }, link({ store: at.store, type: at.type }, at.type), h('span', { class: 'mono dim' }, item.id),
              h('button', { type: 'button', onclick: () => copy().catch((error) => say(error.message)) }, 'Copy as JSON'), h('span', { class: 'dim' }, clock(item.time))),
            h('table', { class: 'item' }, h('tbody', {}, ...item.attributes.map(attribute))),
            ...item.relationships.flatMap((one) => [h('h2', {}, `${one.name} → ${one.type} (${number(one.count)})`),
              h('ul', {}, ...one.items.map(linked)), one.count > one.items.length ? h('p', { class: 'dim' }, `The first ${one.items.length} of ${number(one.count)}.`) : null].filter(Boolean)),
            h('h2', {}, 'Referred to by'),
            item.referrers.length === 0 ? h('p', { class: 'dim' }, 'Nothing.') : h('ul', {}, ...item.referrers.map((one) =>
              h('li', {}, link({ store: at.store, type: one.type, where: one.predicate }, `${one.type}.${one.attribute}`), ` ${one.count === undefined ? 'too many items to count without an index' : number(one.count)}`))));
        };

        // --- Bytes

        const showRaw = async (at) => {
          const answer = await json('raw.json', { store: at.store, part: at.part, number: at.number, after: at.after, limit: 50 });
          const choice = h('select', { 'aria-label': 'Part of the store' }, h('option', { value: '' }, 'all'),
            ...answer.parts.map((one) => h('option', { value: `${one.name}/${one.number ?? ''}`, selected: one.name === at.part && String(one.number ?? '') === at.number }, one.type ? `${one.name} of ${one.type}` : one.name)));
          choice.addEventListener('change', () => { const [part, number] = choice.value.split('/'); go({ store: at.store, view: 'raw', part, number }); });
          const sound = (one) => one.isSound === undefined ? h('span', { class: 'dim' }, 'by verify') : one.isSound ? h('span', { class: 'good' }, 'right') : h('span', { class: 'bad' }, 'damaged');
          $('main').replaceChildren(h('h1', {}, 'Bytes'), h('div', { class: 'bar' }, choice),
            h('table', {}, h('thead', {}, h('tr', {}, ...['Part', 'Key', 'Bytes', 'Value', 'Checksum'].map((name) => h('th', { scope: 'col' }, name)))),
              h('tbody', {}, ...answer.entries.map((one) => h('tr', {},
                h('td', {}, one.part ?? 'unknown', one.type ? h('div', {}, one.id ? link({ store: at.store, view: 'item', type: one.type, id: one.id }, one.type) : one.type) : null),
                h('td', {}, one.key), h('td', { class: 'num' }, number(one.size)), h('td', {}, one.value + (one.value.length / 2 < one.size ? '…' : '')), h('td', {}, sound(one)))))),
            answer.entries.length === 50 ? h('p', {}, link({ store: at.store, view: 'raw', part: at.part, number: at.number, after: answer.entries.at(-1).key }, 'Next')) : h('p', { class: 'dim' }, 'The end.'));
        };

        // --- Work that takes long

        const showWork = (at, title, name, params, onEvent, onReport) => {
          const bar = h('progress', { 'aria-label': title, max: '1' });
          const text = h('p', { class: 'dim' }, 'Reading…');
          const results = h('div', {});
          const events = new EventSource(path(name, params));
          const end = () => { events.close(); bar.remove(); stop.remove(); };
          const stop = h('button', { type: 'button', onclick: () => { end(); text.textContent = 'Stopped.'; } }, 'Stop');
          events.addEventListener('progress', (event) => {
            const progress = JSON.parse(event.data);
            if (progress.fraction !== undefined) bar.value = progress.fraction;
            text.textContent = `${number(progress.items)} items${progress.type ? ` of ${progress.type}` : ''}`;
          });
          events.addEventListener('report', (event) => { end(); text.textContent = ''; results.prepend(onReport(JSON.parse(event.data))); });
          events.addEventListener('failure', (event) => { end(); text.className = 'bad'; text.textContent = JSON.parse(event.data).message; });
          events.onerror = () => { if (events.readyState === EventSource.CLOSED || bar.isConnected) { end(); text.textContent = 'The inspector did not answer.'; } };
          if (onEvent) events.addEventListener('difference', (event) => results.append(onEvent(JSON.parse(event.data))));
          leave = () => events.close();
          $('main').replaceChildren(h('h1', {}, title), bar, stop, text, results);
        };

        const showVerify = (at) => showWork(at, `Verify ${stores[at.store].name}`, 'verify', { store: at.store }, null, (report) => h('div', {},
          report.problems.length === 0 ? h('p', { class: 'good' }, 'Nothing is damaged.') : h('ul', { class: 'bad' }, ...report.problems.map((problem) => h('li', {}, problem))),
          h('table', {}, h('tbody', {}, ...Object.entries(report.counts).map(([type, count]) => h('tr', {}, h('th', { scope: 'row' }, type), h('td', { class: 'num' }, number(count))))))));

        const showDiff = (at) => {
          const signs = { type: '~ type', removed: '−', added: '+', changed: '~' };
          showWork(at, `${stores[at.store].name} and ${stores[Number(at.other)]?.name ?? ''}`, 'diff', { store: at.store, other: at.other }, (one) => h('div', { class: 'mono' },
            `${signs[one.kind]} ${one.type} `, one.id ? link({ store: one.kind === 'added' ? at.other : at.store, view: 'item', type: one.type, id: one.id }, one.id) : '',
            ...one.values.flatMap((value) => [h('div', {}, `    ${value.attribute}: `, valueNode(value.first, at), ' → ', valueNode(value.second, { ...at, store: at.other }))])),
          (report) => h('p', {}, !report.isWhole ? 'These are the first 500 differences.'
            : report.removed + report.added + report.changed + report.types === 0 ? `${number(report.same)} items are the same.`
            : `${number(report.removed)} only in the first, ${number(report.added)} only in the second, ${number(report.changed)} different, ${number(report.same)} the same; ${number(report.types)} types differ.`));
        };

        addEventListener('popstate', show);
        await signIn();
        await show();
        document.body.dataset.ready = 'true';
        """#
}
