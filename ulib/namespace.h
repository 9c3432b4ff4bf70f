/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The static library has no hidden symbols: what its parts share gets the
 * library's prefix, so that it cannot collide with a program's own names.
 */
#ifndef ULIB_NAMESPACE_H
#define ULIB_NAMESPACE_H

#define text_printf rdmaev_text_printf
#define text_put rdmaev_text_put
#define text_name rdmaev_text_name
#define text_json rdmaev_text_json
#define text_pad rdmaev_text_pad
#define text_duration rdmaev_text_duration
#define text_guid rdmaev_text_guid
#define text_end rdmaev_text_end
#define facts rdmaev_facts
#define facts_count rdmaev_facts_count
#define fact_find rdmaev_fact_find
#define qp_states rdmaev_qp_states
#define qp_states_count rdmaev_qp_states_count
#define qp_state_find rdmaev_qp_state_find
#define kind_name rdmaev_kind_name
#define class_name rdmaev_class_name
#define object_name rdmaev_object_name
#define source_name rdmaev_source_name
#define lane_name rdmaev_lane_name
#define state_name rdmaev_state_name
#define phys_state_name rdmaev_phys_state_name
#define speed_name rdmaev_speed_name
#define width_name rdmaev_width_name
#define node_type_name rdmaev_node_type_name
#define link_layer_name rdmaev_link_layer_name
#define speed_rate rdmaev_speed_rate
#define width_lanes rdmaev_width_lanes
#define names_open rdmaev_names_open
#define names_close rdmaev_names_close
#define names_learn rdmaev_names_learn
#define names_fill rdmaev_names_fill
#define node_ops rdmaev_node_ops
#define event_has_name rdmaev_event_has_name
#define event_has_object rdmaev_event_has_object
#define format_json rdmaev_format_json
#define put_event_name rdmaev_put_event_name

#endif /* ULIB_NAMESPACE_H */
